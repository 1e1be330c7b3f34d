"""Completed graphs (CPDAGs): edges of a compelled direction once, the others in both directions."""


def completed(names, edges):
    """The CPDAG of a graph: directed edges once, the others in both directions."""
    parents = {v: set() for v in names}
    for a, b in edges:
        parents[b].add(a)
    adjacent = {v: set(parents[v]) for v in names}
    for a, b in edges:
        adjacent[a].add(b)
    order, waiting = [], {v: len(parents[v]) for v in names}
    children = {v: sorted(adjacent[v] - parents[v]) for v in names}
    ready = [v for v in names if not waiting[v]]
    while ready:
        order.append(v := ready.pop())
        for w in children[v]:
            waiting[w] -= 1
            if not waiting[w]:
                ready.append(w)
    place = {v: k for k, v in enumerate(order)}
    # Chickering (1995): edges by head, and by tail backwards, are compelled or reversible.
    label = {}
    for y in order:
        for x in sorted(parents[y], key=place.get, reverse=True):
            if (x, y) in label:
                continue
            done = False
            for w in parents[x]:
                if not label[(w, x)]:
                    continue
                if w not in parents[y]:
                    for z in parents[y]:
                        label[(z, y)] = True
                    done = True
                    break
                label[(w, y)] = True
            if done:
                continue
            compelled = any(z != x and z not in parents[x] for z in parents[y])
            for z in parents[y]:
                label.setdefault((z, y), compelled)
    return {e for e, c in label.items() if c} | {f for e, c in label.items() if not c for f in (e, e[::-1])}


def distance(one, other):
    """Pairs that differ between two graphs with edges of both kinds."""
    pairs = {frozenset(e) for e in one | other}
    return sum(((a, b) in one, (b, a) in one) != ((a, b) in other, (b, a) in other) for a, b in map(tuple, pairs))
