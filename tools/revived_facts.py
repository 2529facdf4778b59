"""The programs of docs/revived.md: what each shows, its paper, and the number that is compared.

`tools/make_revived.py` makes the page of these facts, of the records of the original, and of docs/revived.json.
"""

from typing import List, NamedTuple, Tuple, Union


class Fact(NamedTuple):
    """A row.

    `program` is a file of tests/programs, or of tests/programs/keras3, without `.py`. `functions` are the K functions of the
    program that carry it. `place` leads to the number in the result that the program prints. `keras` is the version whose record
    is compared; '' is tf_keras. `series` leads to what a picture shows.
    """

    program: str
    title: str
    functions: str
    paper: str
    number: str
    place: Tuple[Union[str, int], ...]
    keras: str = '2.3.1'
    series: Tuple[Union[str, int], ...] = ()


class Topic(NamedTuple):
    """A section of the page."""

    title: str
    rows: List[Fact]


PICTURES = Topic(
    'Pictures that a network makes',
    [
        Fact(
            'vae',
            'Variational autoencoder',
            'random_normal, exp, square, sum',
            'Kingma and Welling (2013), "Auto-Encoding Variational Bayes"',
            'loss of the fourth step',
            ('losses', 3),
        ),
        Fact(
            'cyclegan',
            'CycleGAN with instance normalisation',
            'mean, std, reshape, int_shape',
            'Zhu and others (2017), "Unpaired Image-to-Image Translation using Cycle-Consistent Adversarial Networks"',
            'loss of both generators, second batch',
            ('told', 1, 1),
        ),
        Fact(
            'infogan',
            'InfoGAN with the mutual information as a loss',
            'log, sum, mean',
            'Chen and others (2016), "InfoGAN: Interpretable Representation '
            'Learning by Information Maximizing Generative Adversarial Nets"',
            'loss of the generator, fourth step',
            ('told', 3, 2),
        ),
        Fact(
            'wgan_gp_layers',
            'Wasserstein GAN with gradient penalty',
            'gradients, sqrt, square, sum',
            'Gulrajani and others (2017), "Improved Training of Wasserstein GANs"',
            'loss of the critic, first step',
            ('losses', 0),
            '',
        ),
        Fact(
            'style_transfer',
            'Neural style transfer',
            'gradients, function, dot, permute_dimensions',
            'Gatys, Ecker and Bethge (2015), "A Neural Algorithm of Artistic Style"',
            'greatest gradient of a pixel',
            ('largest',),
        ),
        Fact(
            'deep_dream',
            'DeepDream',
            'gradients, function, sum, square',
            'Mordvintsev, Olah and Tyka (2015), "Inceptionism: Going Deeper into Neural Networks"',
            'what is maximised, third octave',
            ('losses', 2),
            '',
        ),
        Fact(
            'perceptual_loss',
            'Super resolution with a perceptual loss',
            'resize_images, permute_dimensions, var, log',
            'Johnson, Alahi and Fei-Fei (2016), "Perceptual Losses for Real-Time Style Transfer and Super-Resolution"',
            'loss of the second epoch',
            ('loss', 1),
            '',
        ),
        Fact(
            'vq_vae_losses',
            'Vector-quantised autoencoder',
            'in_train_phase, square, mean, get_value',
            'van den Oord, Vinyals and Kavukcuoglu (2017), "Neural Discrete Representation Learning"',
            'loss of the fourth epoch',
            ('losses', 3),
            '',
        ),
    ],
)

SIGHT = Topic(
    'Networks that see',
    [
        Fact(
            'capsules',
            'Capsules with routing by agreement',
            'batch_dot, map_fn, softmax, tile',
            'Sabour, Frosst and Hinton (2017), "Dynamic Routing Between Capsules"',
            'loss of the second batch',
            ('steps', 1, 0),
            '2.2.4',
        ),
        Fact(
            'visualisation',
            'Class activation maps and saliency',
            'gradients, function, learning_phase',
            'Zhou and others (2015), "Learning Deep Features for Discriminative Localization"',
            'first value of the map',
            ('cam', 0, 0),
        ),
        Fact(
            'grad_cam_plus_plus',
            'Grad-CAM++',
            'gradients, function, exp, switch',
            'Chattopadhay and others (2017), "Grad-CAM++: Improved Visual Explanations for '
            'Deep Convolutional Networks"',
            'score of the class',
            ('score',),
            '',
            ('cam',),
        ),
        Fact(
            'mobile_squeeze_excite',
            'Squeeze and excitation, channel shuffle',
            'sigmoid, permute_dimensions, reshape, relu',
            'Hu, Shen and Sun (2017), "Squeeze-and-Excitation Networks"',
            'loss of the third batch',
            ('fine', 2),
        ),
        Fact(
            'ctc_reader',
            'Reader of text lines',
            'ctc_batch_cost, ctc_decode',
            'Shi, Bai and Yao (2015), "An End-to-End Trainable Neural Network for Image-based Sequence Recognition"',
            'loss of the third batch',
            ('first', 2),
        ),
        Fact(
            'yolo_loss',
            'The loss of YOLO version 3',
            'arange, tile, switch, binary_crossentropy',
            'Redmon and Farhadi (2018), "YOLOv3: An Incremental Improvement"',
            'loss of the third epoch',
            ('losses', 2),
            '',
        ),
        Fact(
            'focal_loss',
            'The focal loss of RetinaNet',
            'switch, pow, log, clip',
            'Lin and others (2017), "Focal Loss for Dense Object Detection"',
            'loss of the third epoch, two classes',
            ('binary', 1, 2),
            '',
        ),
        Fact(
            'segmentation_losses',
            'U-Net with losses of overlap',
            'flatten, sum, batch_flatten, greater',
            'Ronneberger, Fischer and Brox (2015), "U-Net: Convolutional Networks for Biomedical Image Segmentation"',
            'dice loss of the second epoch',
            ('dice_coef_loss', 1, 1),
            '',
        ),
        Fact(
            'netvlad_gem',
            'NetVLAD for image retrieval',
            'conv2d, l2_normalize, get_value',
            'Arandjelovic and others (2015), "NetVLAD: CNN Architecture for Weakly Supervised Place Recognition"',
            'loss of the fifth epoch',
            ('losses', 4),
            '',
        ),
        Fact(
            'fgsm_attack',
            'Adversarial examples',
            'gradients, sign, function',
            'Goodfellow, Shlens and Szegedy (2014), "Explaining and Harnessing Adversarial Examples"',
            'loss after the attack',
            ('losses', 1),
            '',
        ),
    ],
)

LIKENESS = Topic(
    'Networks that compare',
    [
        Fact(
            'siamese',
            'Siamese network with contrastive loss',
            'square, sqrt, maximum, mean',
            'Hadsell, Chopra and LeCun (2006), "Dimensionality Reduction by Learning an Invariant Mapping"',
            'loss of the third batch',
            ('losses', 2),
        ),
        Fact(
            'triplet_embeddings',
            'Triplets with the hardest samples of a batch',
            'dot, transpose, max, softplus',
            'Schroff, Kalenichenko and Philbin (2015), "FaceNet: A Unified Embedding for Face Recognition and Clustering"',
            'loss of the second epoch, hardest triplets',
            ('batch_hard', 2),
            '',
        ),
        Fact(
            'arcface_margin',
            'ArcFace and CosFace',
            'l2_normalize, dot, clip, switch',
            'Deng and others (2018), "ArcFace: Additive Angular Margin Loss for Deep Face Recognition"',
            'loss of the third batch, ArcFace',
            ('ArcFace', 'steps', 2, 0),
        ),
        Fact(
            'few_shot',
            'Prototypes, and the inner step of MAML',
            'gradients, logsumexp, update_sub, expand_dims',
            'Snell, Swersky and Zemel (2017), "Prototypical Networks for Few-shot Learning"',
            'loss of the third episode',
            ('steps', 2, 0),
        ),
    ],
)

WORDS = Topic(
    'Words and sequences',
    [
        Fact(
            'attention_seq2seq',
            'Sequence to sequence with attention',
            'batch_dot, softmax, function',
            'Luong, Pham and Manning (2015), "Effective Approaches to Attention-based Neural Machine Translation"',
            'loss of the first batch',
            ('loss',),
        ),
        Fact(
            'transformer',
            'Transformer',
            'batch_dot, cumsum, permute_dimensions, gradients',
            'Vaswani and others (2017), "Attention Is All You Need"',
            'loss of the start',
            ('loss',),
        ),
        Fact(
            'gpt_language_model',
            'Language model of the GPT kind',
            'batch_dot, greater_equal, tanh, sparse_categorical_crossentropy',
            'Radford and others (2018), "Improving Language Understanding by Generative Pre-Training"',
            'loss of the second batch',
            ('losses', 1),
        ),
        Fact(
            'bert_encoder',
            'Masked words, as in BERT',
            'gather, batch_dot, not_equal, softmax',
            'Devlin and others (2018), "BERT: Pre-training of Deep Bidirectional Transformers for '
            'Language Understanding"',
            'loss of the fourth epoch',
            ('losses', 3),
            '',
        ),
        Fact(
            'crf_tagger',
            'Tagger with a conditional random field',
            'rnn, logsumexp, gradients',
            'Huang, Xu and Yu (2015), "Bidirectional LSTM-CRF Models for Sequence Tagging"',
            'loss of the start',
            ('loss',),
        ),
        Fact(
            'kaggle_attention',
            'Attention over the words of a comment',
            'dot, tanh, exp, squeeze',
            'Yang and others (2016), "Hierarchical Attention Networks for Document Classification"',
            'loss of the start',
            ('loss',),
        ),
        Fact(
            'babi_memory',
            'Memory network that answers questions',
            'batch_dot, softmax, constant',
            'Sukhbaatar and others (2015), "End-To-End Memory Networks"',
            'loss of the fourth batch',
            ('steps', 3, 0),
        ),
        Fact(
            'ntm_cell',
            'Cell of a neural Turing machine',
            'batch_dot, l2_normalize, softplus, softmax',
            'Graves, Wayne and Danihelka (2014), "Neural Turing Machines"',
            'loss of the start',
            ('loss',),
        ),
        Fact(
            'wavenet_dilated',
            'WaveNet: gated dilated convolutions',
            'temporal_padding, gradients, function',
            'van den Oord, Dieleman, Zen, Simonyan, Vinyals, Graves, Kalchbrenner, Senior and Kavukcuoglu (2016), '
            '"WaveNet: A Generative Model for Raw Audio"',
            'loss of the second epoch',
            ('loss', 1),
        ),
    ],
)

CHOICES = Topic(
    'Agents, graphs, tables and doubt',
    [
        Fact(
            'dqn_dueling_targets',
            'Deep Q network with a dueling head',
            'mean, expand_dims, square, abs',
            'Wang and others (2015), "Dueling Network Architectures for Deep Reinforcement Learning"',
            'loss of the last episode',
            ('losses', -1),
            '',
            ('losses',),
        ),
        Fact(
            'ppo_replay',
            'PPO, and prioritised replay',
            'clip, minimum, switch, mean',
            'Schulman and others (2017), "Proximal Policy Optimization Algorithms"',
            'loss of the fourth epoch of PPO',
            ('log', 0, 3),
        ),
        Fact(
            'policy_gradient',
            'Policy gradients by K.function alone',
            'placeholder, function, log, sum',
            'Mnih and others (2016), "Asynchronous Methods for Deep Reinforcement Learning"',
            'loss of the fourth step',
            ('losses', 3),
        ),
        Fact(
            'graph_convolution',
            'Graph convolutions with a sparse graph',
            'dot, concatenate, stack, softmax',
            'Kipf and Welling (2016), "Semi-Supervised Classification with Graph Convolutional Networks"',
            'loss of the third batch',
            ('localpool', 1, 2),
            '2.2.4',
        ),
        Fact(
            'mc_dropout',
            'Uncertainty by dropout',
            'in_train_phase, dropout, learning_phase, function',
            'Gal and Ghahramani (2015), "Dropout as a Bayesian Approximation: Representing Model Uncertainty in Deep Learning"',
            'loss of the start',
            ('start',),
        ),
        Fact(
            'uncertainty_weighting',
            'Tasks weighted by their uncertainty',
            'exp, sum, mean, concatenate',
            'Kendall, Gal and Cipolla (2017), "Multi-Task Learning Using Uncertainty to Weigh Losses for Scene Geometry and '
            'Semantics"',
            'loss of the fourth epoch',
            ('loss', 3),
            '',
        ),
        Fact(
            'spectral_norm',
            'Spectral normalisation',
            'update, dot, transpose, in_train_phase',
            'Miyato and others (2018), "Spectral Normalization for Generative Adversarial Networks"',
            'loss of the fourth epoch',
            ('loss', 3),
            '',
        ),
    ],
)

TOPICS = [PICTURES, SIGHT, LIKENESS, WORDS, CHOICES]
FACTS = [fact for topic in TOPICS for fact in topic.rows]
