"""Muon as Keller Jordan describes it, in float32. Matrices of the same shape share one batched product."""
import torch


class Muon:
    def __init__(self, matrices, momentum=0.95):
        self.beta = momentum
        groups = {}
        for matrix in matrices:
            groups.setdefault((min(matrix.shape), max(matrix.shape)), []).append(matrix)
        self.groups = list(groups.values())
        self.momentum = {matrix: torch.zeros_like(matrix) for matrix in matrices}

    @torch.no_grad()
    def step(self, rate):
        for group in self.groups:
            updates = []
            for matrix in group:
                m = self.momentum[matrix].lerp_(matrix.grad, 1 - self.beta)
                update = matrix.grad.lerp(m, self.beta)
                updates.append(update.T if matrix.shape[0] > matrix.shape[1] else update)
            x = torch.stack(updates)
            x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
            for _ in range(5):
                gram = x @ x.mT
                x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=-4.7750, alpha=2.0315), x, beta=3.4445)
            for matrix, update in zip(group, x):
                tall = matrix.shape[0] > matrix.shape[1]
                matrix.add_(update.T if tall else update, alpha=-rate * max(1, matrix.shape[0] / matrix.shape[1]) ** 0.5)
