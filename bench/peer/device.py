"""Where PyTorch computes, and with which numbers."""
import torch


def choose(name):
    """Makes new tensors on the device `cpu` or `gpu`. Returns the name of a GPU, or the problem that there is none."""
    if name == "cpu":
        return {}
    if not torch.cuda.is_available():
        return {"problem": "PyTorch finds no GPU: leave out --device gpu, or name a Python whose PyTorch knows this GPU by --python"}
    torch.set_default_device("cuda")
    return {"gpu": torch.cuda.get_device_name()}


def is_gpu():
    return torch.get_default_device().type == "cuda"


def products():
    """A context in which a GPU multiplies matrices in bfloat16. Parameters and their gradients stay float32."""
    return torch.autocast("cuda", dtype=torch.bfloat16, enabled=is_gpu())


def sampling_dtype():
    return torch.bfloat16 if is_gpu() else torch.float32
