"""Cures for the removals of NetworkX 2.0 to 3.0."""

import pickle
from types import ModuleType
from typing import Any, Callable, Iterator

from ....basics.tables import beside
from ..cures import around
from .giving import give, joined, of_functions, version, wrap


def graphs(networkx: ModuleType) -> str:
    """Give back `Graph.node`, `nodes_iter`, `edges_iter`, `add_path`, `selfloop_edges` and the like."""
    restored = [
        give(networkx.Graph, {'node': property(lambda self: self.nodes, doc='The attributes of the nodes.')}),
        give(networkx.Graph, of_functions(nodes_iter, edges_iter, neighbors_iter, degree_iter, adjacency_iter)),
        give(networkx.DiGraph, of_functions(successors_iter, predecessors_iter, in_edges_iter, out_edges_iter)),
    ]
    for name in 'add_path', 'add_cycle', 'add_star', 'selfloop_edges', 'nodes_with_selfloops', 'number_of_selfloops':
        restored.append(give(networkx.Graph, {name: _method(getattr(networkx, name))}))
    return joined(*restored)


@around
def _method(function: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    return function(self, *args, **kwargs)


def nodes_iter(self: Any, data: bool = False) -> Iterator[Any]:
    """`Graph.nodes_iter`: the nodes, or (node, attributes)."""
    return iter(self.nodes(data=data))


def edges_iter(self: Any, nbunch: Any = None, data: Any = False, default: Any = None) -> Iterator[Any]:
    """`Graph.edges_iter`: the edges, with their attributes or one of them as `data` says."""
    return iter(self.edges(nbunch, data=data, default=default))


def neighbors_iter(self: Any, n: Any) -> Iterator[Any]:
    """`Graph.neighbors_iter`: the neighbours of a node."""
    return iter(self.neighbors(n))


def degree_iter(self: Any, nbunch: Any = None, weight: Any = None) -> Iterator[Any]:
    """`Graph.degree_iter`: (node, degree)."""
    degrees = self.degree(nbunch, weight=weight)
    return iter(degrees) if nbunch not in self else iter([(nbunch, degrees)])


def adjacency_iter(self: Any) -> Iterator[Any]:
    """`Graph.adjacency_iter`: (node, its neighbours with the attributes of the edges)."""
    return iter(self.adjacency())


def successors_iter(self: Any, n: Any) -> Iterator[Any]:
    """`DiGraph.successors_iter`: the nodes that a node leads to."""
    return iter(self.successors(n))


def predecessors_iter(self: Any, n: Any) -> Iterator[Any]:
    """`DiGraph.predecessors_iter`: the nodes that lead to a node."""
    return iter(self.predecessors(n))


def in_edges_iter(self: Any, nbunch: Any = None, data: Any = False) -> Iterator[Any]:
    """`DiGraph.in_edges_iter`: the edges that lead to nodes."""
    return iter(self.in_edges(nbunch, data=data))


def out_edges_iter(self: Any, nbunch: Any = None, data: Any = False) -> Iterator[Any]:
    """`DiGraph.out_edges_iter`: the edges that start at nodes."""
    return iter(self.out_edges(nbunch, data=data))


def functions(networkx: ModuleType) -> str:
    """Give back `connected_component_subgraphs`, `from_numpy_matrix`, `write_gpickle`, `info` and the like."""

    import numpy

    def subgraphs(components: str) -> Callable[..., Iterator[Any]]:
        def made(G: Any, copy: bool = True) -> Iterator[Any]:
            for nodes in getattr(networkx, components)(G):
                yield G.subgraph(nodes).copy() if copy else G.subgraph(nodes)

        return made

    def from_numpy_matrix(A: Any, parallel_edges: bool = False, create_using: Any = None) -> Any:
        """`nx.from_numpy_matrix`: the graph of an adjacency matrix."""
        return networkx.from_numpy_array(numpy.asarray(A), parallel_edges, create_using)

    def to_numpy_matrix(G: Any, *args: Any, **kwargs: Any) -> Any:
        """`nx.to_numpy_matrix`: the adjacency matrix as a matrix of NumPy."""
        return numpy.asmatrix(networkx.to_numpy_array(G, *args, **kwargs))

    def to_scipy_sparse_matrix(G: Any, *args: Any, **kwargs: Any) -> Any:
        """`nx.to_scipy_sparse_matrix`: the adjacency matrix as a sparse matrix."""
        return _matrix(networkx.to_scipy_sparse_array(G, *args, **kwargs))

    def from_pandas_dataframe(
        df: Any, source: Any, target: Any, edge_attr: Any = None, create_using: Any = None
    ) -> Any:
        """`nx.from_pandas_dataframe`: the graph of a table of edges."""
        return networkx.from_pandas_edgelist(df, source, target, edge_attr, create_using)

    names = of_functions(
        from_numpy_matrix,
        to_numpy_matrix,
        to_scipy_sparse_matrix,
        from_pandas_dataframe,
        write_gpickle,
        read_gpickle,
        info,
    )
    for kind in 'connected', 'strongly_connected', 'weakly_connected', 'biconnected':
        names[f'{kind}_component_subgraphs'] = subgraphs(f'{kind}_components')
    given = give(networkx, names)
    others = beside(__file__, 'names.json')['renamed_in_networkx']
    there = vars(networkx)
    return joined(given, give(networkx, {old: there[new] for old, new in others.items() if new in there}))


def write_gpickle(G: Any, path: Any, protocol: int = pickle.HIGHEST_PROTOCOL) -> None:
    """`nx.write_gpickle`: write a graph as a pickle, to a path or an open file."""
    if hasattr(path, 'write'):
        pickle.dump(G, path, protocol)
    else:
        with open(path, 'wb') as file:
            pickle.dump(G, file, protocol)


def read_gpickle(path: Any) -> Any:
    """`nx.read_gpickle`: the graph in a pickle. A pickle can run code, so read only files that you trust."""
    if hasattr(path, 'read'):
        return pickle.load(path)
    with open(path, 'rb') as file:
        return pickle.load(file)


def info(G: Any, n: Any = None) -> str:
    """`nx.info`: a short text on a graph, or on one of its nodes."""
    if n is not None:
        neighbors = ' '.join(str(other) for other in G.neighbors(n))
        return f'Node {n} has the following properties:\nDegree: {G.degree(n)}\nNeighbors: {neighbors}'
    lines = [
        f'Name: {G.name}',
        f'Type: {type(G).__name__}',
        f'Number of nodes: {G.number_of_nodes()}',
        f'Number of edges: {G.number_of_edges()}',
    ]
    if len(G):
        if G.is_directed():
            for kind, degrees in ('in', G.in_degree()), ('out', G.out_degree()):
                lines.append(f'Average {kind} degree: {sum(d for _, d in degrees) / len(G):8.4f}')
        else:
            lines.append(f'Average degree: {sum(d for _, d in G.degree()) / len(G):8.4f}')
    return '\n'.join(lines)


def _matrix(sparse: Any) -> Any:
    """A sparse array as the sparse matrix of the same format. The product `*` of matrices is not elementwise."""
    from scipy import sparse as formats

    return getattr(formats, f'{sparse.format}_matrix')(sparse)


def sparse_matrices(networkx: ModuleType) -> str:
    """Let `nx.adjacency_matrix` and the Laplacians be sparse matrices, whose `*` is the matrix product."""
    if version(networkx) < (3, 0):
        return ''

    def as_matrix(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: _matrix(function(*args, **kwargs))

    names = 'adjacency_matrix', 'laplacian_matrix', 'normalized_laplacian_matrix', 'incidence_matrix'
    return joined(*[wrap(networkx, name, as_matrix) for name in names])


def attributes(networkx: ModuleType) -> str:
    """Take `nx.set_node_attributes(G, 'name', values)`. NetworkX 2.0 takes the values before the name."""
    if version(networkx) < (2, 0):
        return ''

    def either_order(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(G: Any, values: Any, name: Any = None) -> Any:
            if isinstance(values, str) and name is not None and not isinstance(name, str):
                values, name = name, values
            return function(G, values, name)

        return called

    names = 'set_node_attributes', 'set_edge_attributes'
    return joined(*[wrap(networkx, name, either_order) for name in names])
