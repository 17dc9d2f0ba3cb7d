import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import { shellWord } from '../errors/shell-word.js';

/**
 * Why there is no model at a path that looks like one, and what to type instead. Undefined if the path says nothing of a
 * model: an empty folder, a run, a word.
 */
export function unusableModel(path: string): AgentgymError | undefined {
  const problem = problemOf(path);
  return problem && new AgentgymError('AG_MODEL_UNUSABLE', problem);
}

function problemOf(path: string): { readonly message: string; readonly hint: string } | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  const name = path.toLowerCase();
  if (found === undefined) {
    if (!/\.(gguf|safetensors|bin|pt|pth)$/.test(name)) return undefined;
    return {
      message: `There is no file ${path}.`,
      hint: 'Check the path. `agentgym pull` fetches a model, and prints where it is.',
    };
  }
  if (found.isDirectory()) return problemOfFolder(path);
  const folder = `${dirname(path)}${sep}`;
  const whole = existsSync(join(dirname(path), 'config.json'));
  if (name.endsWith('.safetensors')) {
    return {
      message: `${path} has only the weights of a model.`,
      hint: whole
        ? `Name its folder: ${shellWord(folder)}.`
        : `Put the model's config.json and tokenizer.json into ${folder}, and name that folder.`,
    };
  }
  if (/\.(bin|pt|pth|ckpt)$/.test(name)) {
    return {
      message: `${path} is in Python's pickle format, which agentgym never opens, because opening it can run code.`,
      hint: 'Convert the model where you trust it, with `save_pretrained` of transformers, and name the folder that it writes.',
    };
  }
  if (name.endsWith('.gguf')) return undefined;
  if (whole && ['config.json', 'tokenizer.json'].includes(basename(path)))
    return { message: `${path} is a part of a model.`, hint: `Name its folder: ${shellWord(folder)}.` };
  return {
    message: `${path} is a file, and not a model.`,
    hint: 'A model is a Hugging Face folder with config.json, or a file that ends in .gguf.',
  };
}

function problemOfFolder(path: string): { readonly message: string; readonly hint: string } | undefined {
  const names = readdirSync(path);
  if (names.some((name) => ['config.json', 'adapter_config.json', 'manifest.json'].includes(name))) return undefined;
  const gguf = names.filter((name) => name.toLowerCase().endsWith('.gguf'));
  if (gguf.length > 0) {
    return {
      message: `The folder ${path} has ${gguf.length === 1 ? 'a GGUF file' : `${gguf.length} GGUF files`}, and is not itself a model.`,
      hint: `Name the file: ${shellWord(join(path, gguf[0] ?? ''))}.`,
    };
  }
  if (!names.some((name) => /\.(safetensors|bin)$|^tokenizer/.test(name))) return undefined;
  return {
    message: `The folder ${path} has no config.json, so it is not a whole model.`,
    hint: "Put the model's config.json into it, and tokenizer.json and the weights as safetensors, or fetch the model with `agentgym pull`.",
  };
}
