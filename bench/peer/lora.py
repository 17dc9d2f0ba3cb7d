"""A model of transformers and an adapter of PEFT."""
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from transformers.utils import logging

logging.set_verbosity_error()
logging.disable_progress_bar()


def load(folder, dtype):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype), attn_implementation="sdpa").to(torch.get_default_device()).eval()


def lora_settings(rank):
    """An adapter on all matrices of the layers, scaled by 2."""
    return {"r": rank, "lora_alpha": 2 * rank, "target_modules": "all-linear"}


def add_adapter(model, rank):
    return get_peft_model(model, LoraConfig(**lora_settings(rank)))
