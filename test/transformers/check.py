"""Open folders that agentgym wrote in Hugging Face transformers, and compare logits, ids of a conversation, and the end of text.

    python test/transformers/check.py                  # presets up to `medium`, and the recordings of test/golden,
                                                       # written into a temporary folder
    python test/transformers/check.py FOLDER...        # checkpoints of runs, or any folder that agentgym loads

Needs `pip install torch transformers peft`, and the plugin built (`npm run build`). Ends with 1 if something differs.
"""
import json
import os
import subprocess
import sys
import tempfile

import torch
from peft import AutoPeftModelForCausalLM
from transformers import AutoModelForCausalLM, AutoTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDINGS = os.path.join(HERE, "..", "golden", "fixtures", "models")
TOLERANCE = 1e-4


def ours(folder, *source):
    command = ["node", os.path.join(HERE, "our-logits.js"), folder, *source]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def is_adapter(folder):
    return os.path.exists(os.path.join(folder, "adapter_config.json"))


def check(folder, recorded, has_own_tokenizer=True):
    kind = AutoPeftModelForCausalLM if is_adapter(folder) else AutoModelForCausalLM
    model = kind.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    worst = 0.0
    with torch.inference_mode():
        for sequence in recorded["sequences"]:
            theirs = model(torch.tensor([sequence["tokens"]])).logits[0]
            worst = max(worst, float((theirs - torch.tensor(sequence["logits"])).abs().max()))
    # transformers takes Qwen2's own kind of tokenizer for any folder of that family.
    chat = tokenizer.apply_chat_template(recorded["chat"], add_generation_prompt=True, return_dict=True)["input_ids"]
    end = model.generation_config.eos_token_id
    ends = end if isinstance(end, list) else [end]
    complaints = [
        *([f"logits differ by {worst:.1e}"] if not worst <= TOLERANCE else []),
        *([f"the conversation is {chat}, ours {recorded['ids']}"] if has_own_tokenizer and chat != recorded["ids"] else []),
        *([f"generation ends at {ends}, ours at {recorded['endIds']}"] if set(ends) != set(recorded["endIds"]) else []),
    ]
    base = model.get_base_model() if is_adapter(folder) else model
    print(f"{os.path.basename(folder)}: {type(base).__name__}, {base.num_parameters():,} parameters, logits differ by {worst:.1e}",
          *(f"  DIFFERS: {complaint}" for complaint in complaints), sep="\n")
    return not complaints


def main():
    folders = sys.argv[1:]
    if folders:
        agree = [check(folder, ours(folder)) for folder in folders]
    else:
        agree = []
        with tempfile.TemporaryDirectory() as temporary:
            for preset in ("pico", "nano", "micro", "mini", "medium"):
                folder = os.path.join(temporary, preset)
                agree.append(check(folder, ours(folder, preset)))
            for name in sorted(entry.name for entry in os.scandir(RECORDINGS) if entry.is_dir()):
                recording = os.path.join(RECORDINGS, name)
                for merge in ([], ["--merge"]) if is_adapter(recording) else ([],):
                    folder = os.path.join(temporary, name + "".join(merge))
                    agree.append(check(folder, ours(folder, recording, *merge), False))
    sys.exit(0 if all(agree) else 1)


main()
