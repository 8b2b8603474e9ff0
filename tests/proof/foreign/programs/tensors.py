"""Programs on torch's tensors."""

import torch


class Tensors:
    """What a program does with a tensor."""

    def scaled(self, x, factor):
        return x * factor

    def clamp(self, x, low, high):
        return x.clamp(low, high)

    def reverse(self, x):
        return x.flip(0)

    def gather(self, x, places):
        return x[torch.tensor(places)]

    def flip_view(self, x, start):
        view = x[start:]
        view.mul_(-1).add_(1)

    def write_view(self, x, start, value):
        view = x[start:]
        view[0] = value

    def fill(self, x, below, value, way):
        match way % 3:
            case 0:
                return x.masked_fill(x < below, value)
            case 1:
                return torch.where(x < below, value, x)
        x[x < below] = value
        return x

    def log(self, number):
        return number.log()

    def count(self, x, below, way):
        marks = x < below
        run = marks.int().cumprod(0).sum()
        return [marks.sum(), marks.all(), marks.any(), run, run % len(x), torch.count_nonzero(marks)][way]

    def order(self, x, largest, way):
        return x.argsort(descending=largest) if way % 2 else torch.sort(x, descending=largest)[1]

    def top(self, x, count, largest, way):
        return x.topk(count, largest=largest).indices

    def largest(self, x, way):
        return [x.argmax(), x.max(dim=0).indices, (x == x.max()).nonzero()[0, 0]][way % 3]

    def invert(self, number, shares, way):
        edges = torch.tensor(shares).cumsum(0)
        match way % 3:
            case 0:
                return torch.searchsorted(edges, number.reshape(1), right=True)[0]
            case 1:
                return torch.bucketize(number, edges, right=True)
        return (edges <= number).sum()


class TensorDraws:
    """What a program draws with torch."""

    def uniform(self):
        return torch.rand(())

    def vector(self, size):
        return torch.rand(size)

    def pick(self, shares, way):
        weights = torch.tensor(shares)
        if way % 2:
            return torch.distributions.Categorical(weights).sample()
        return torch.multinomial(weights, 1)[0]

    def several(self, shares, count, way):
        return torch.multinomial(torch.tensor(shares), count)

    def permute(self, size, way):
        return torch.randperm(size) if way % 2 else torch.multinomial(torch.ones(size), size)

    def integer(self, size, way):
        return torch.randint(size, (1,))[0]

    def coin(self, chance, way):
        return torch.bernoulli(torch.tensor(chance)) if way % 2 else torch.empty(1).bernoulli_(chance)[0]

    def noise(self, kind, size):
        noise = torch.empty(size)
        if kind == "exponential":
            return noise.exponential_()
        return noise.uniform_() if kind == "uniform" else -torch.log(-torch.log(torch.rand(size)))

    def race(self, noise, kind, rates, way):
        weights = torch.tensor(rates)
        logits = weights.log()
        if kind == "gumbel":
            return (logits + noise).argmax(-1)
        if kind == "uniform":
            return [
                lambda: (logits - torch.log(-torch.log(noise.clamp(min=1e-10)))).argmax(),
                lambda: (-noise.log() / weights).argmin(),
                lambda: noise.pow(1 / weights).argmax(),
            ][way % 3]()
        scores = (logits - noise.log()) / 0.5 if way % 2 else weights / noise
        return [scores.argmax(), scores.max(dim=0)[1], scores.topk(1).indices[0], scores.sort(descending=True)[1][0]][way % 4]

    def race_order(self, noise, rates, count, way):
        scores = torch.tensor(rates).div_(noise)
        return scores.topk(count).indices if way % 2 else scores.argsort(descending=True)[:count]
