"""The ids of texts by the package tokenizers:  python-ids.py TOKENIZER.JSON < {"texts": [[text, isPlain]...]}

In a text that is not plain, the spellings of control tokens are text: the tokenizer is opened without them.
"""
import json
import sys

from tokenizers import Tokenizer

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
whole = Tokenizer.from_str(text)
parts = json.loads(text)
for token in parts["added_tokens"]:
    parts["model"]["vocab"].pop(token["content"], None)
parts["added_tokens"] = []
bare = Tokenizer.from_str(json.dumps(parts))
ids = [
    (whole if is_plain else bare).encode(one, add_special_tokens=False).ids
    for one, is_plain in json.load(sys.stdin)["texts"]
]
json.dump(ids, sys.stdout)
