"""What NetworkX 2.0 to 3.0 took away. The values are those of NetworkX 1.11 and 2.3."""

# needs: networkx scipy
import networkx as nx
import numpy as np

graph = nx.Graph()
graph.add_path([0, 1, 2]) if hasattr(graph, 'add_path') else nx.add_path(graph, [0, 1, 2])
graph.add_edge(3, 4, weight=2.0)
graph.node[1]['label'] = 'a'
assert graph.node[1] == {'label': 'a'} and 3 in graph.node and len(graph.node) == 5
parts = list(nx.connected_component_subgraphs(graph))
assert [sorted(part.nodes()) for part in parts] == [[0, 1, 2], [3, 4]]
assert max(nx.connected_component_subgraphs(graph), key=len).node[1]['label'] == 'a'
parts[0].add_edge(0, 9)
assert 9 not in graph
matrix = nx.to_numpy_matrix(graph)
assert isinstance(matrix, np.matrix) and matrix.shape == (5, 5) and matrix[3, 4] == 2 and matrix.sum() == 8
assert (matrix * matrix)[0, 2] == 1
again = nx.from_numpy_matrix(matrix)
assert sorted(again.edges()) == [(0, 1), (1, 2), (3, 4)] and again[3][4]['weight'] == 2
directed = nx.from_numpy_matrix(np.array([[0, 1], [0, 0]]), create_using=nx.DiGraph())
assert list(directed.edges()) == [(0, 1)] and directed[0][1] == {'weight': 1}
for sparse in nx.adjacency_matrix(graph), nx.to_scipy_sparse_matrix(graph), nx.laplacian_matrix(graph):
    # With a matrix * is the matrix product, with an array of SciPy it is not.
    assert ((sparse * sparse).toarray() == np.dot(sparse.toarray(), sparse.toarray())).all()
    assert isinstance(sparse.todense(), np.matrix)
assert nx.from_scipy_sparse_matrix(nx.adjacency_matrix(graph)).number_of_edges() == 3
nx.write_gpickle(graph, 'graph.gpickle')
assert nx.read_gpickle('graph.gpickle').node[1] == {'label': 'a'}
with open('graph.gpickle', 'rb') as stream:
    assert len(nx.read_gpickle(stream)) == 5
old = nx.__version__ < '2.4' or nx.__version__ >= '3'  # between them the text was another one
lines = ['Name: ', 'Type: Graph', 'Number of nodes: 5', 'Number of edges: 3', 'Average degree:   1.2000']
assert not old or nx.info(graph).split('\n') == lines
assert not old or nx.info(directed).splitlines()[-2:] == ['Average in degree:   0.5000', 'Average out degree:   0.5000']
assert not old or nx.info(graph, 1) == 'Node 1 has the following properties:\nDegree: 2\nNeighbors: 0 2'
if nx.__version__ >= '2':
    nx.set_node_attributes(graph, {0: 'x'}, 'kind')
    assert graph.node[0]['kind'] == 'x' and nx.get_node_attributes(graph, 'kind') == {0: 'x'}
if nx.__version__ < '2' or hasattr(graph, 'nodes_iter'):
    nx.set_node_attributes(graph, 'kind', {1: 'y'})
    assert graph.node[1]['kind'] == 'y'
    assert sorted(graph.nodes_iter()) == [0, 1, 2, 3, 4] and dict(graph.nodes_iter(data=True))[1]['kind'] == 'y'
    assert sorted(graph.edges_iter()) == [(0, 1), (1, 2), (3, 4)]
    assert list(graph.edges_iter([3], data='weight')) == [(3, 4, 2.0)] and sorted(graph.neighbors_iter(1)) == [0, 2]
    assert dict(graph.degree_iter()) == {0: 1, 1: 2, 2: 1, 3: 1, 4: 1}
    assert dict(graph.degree_iter([3, 4], weight='weight')) == {3: 2, 4: 2}
    assert dict(graph.adjacency_iter())[3] == {4: {'weight': 2.0}}
    assert list(directed.successors_iter(0)) == [1] and list(directed.predecessors_iter(1)) == [0]
    assert list(directed.in_edges_iter([1])) == [(0, 1)] and list(directed.out_edges_iter([1])) == []
    graph.add_cycle([5, 6, 7])
    graph.add_star([8, 9, 0])
    assert graph.number_of_edges() == 8 and graph.number_of_selfloops() == 0
    graph.add_edge(2, 2)
    assert list(graph.selfloop_edges()) == [(2, 2)] and list(graph.nodes_with_selfloops()) == [2]
rank = nx.pagerank_numpy(directed)
assert abs(rank[1] - 0.64912280) < 1e-6 and abs(nx.pagerank_scipy(directed)[1] - rank[1]) < 1e-4
print('cured')
