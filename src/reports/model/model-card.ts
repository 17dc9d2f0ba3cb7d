import { basename, isAbsolute } from 'node:path';

import { stringify } from 'yaml';

import { environmentNames } from '../../config/recipe-entries.js';
import type { Recipe } from '../../config/recipe-schema.js';
import type { EvaluationSummary } from '../../contracts/evaluation.js';
import type { ExportedModel } from '../../contracts/policy.js';
import { isModelName } from '../../hub/pulled-model.js';
import { formatCount } from '../../reporting/format-quantity.js';
import { visibleText } from '../../reporting/display-text.js';
import { tableOf } from '../../reporting/blocks/block.js';
import { playersTable } from '../../reporting/blocks/tell-players.js';
import { markdownLines } from '../../reporting/markdown-blocks.js';
import { markdownBlock, markdownCode, markdownText } from '../../reporting/markdown-table.js';
import type { LoadedRun } from '../../runs/load-run.js';
import type { SplitProof } from '../../runs/split-proof.js';
import { runSection } from '../exports/write-markdown.js';
import type { BaseModel } from './base-model.js';
import type { ChosenCheckpoint } from '../../runs/choose-checkpoint.js';

/** What a card tells. */
export interface CardContent {
  /** The name of the model: ORG/NAME, or that of its folder. */
  readonly name: string;
  readonly run: LoadedRun;
  readonly checkpoint: ChosenCheckpoint;
  readonly exported: ExportedModel;
  readonly dtype: string;
  readonly base?: BaseModel | undefined;
  /** The command that repeats the training; absent: the recipe alone is shown. */
  readonly command?: string | undefined;
}

/** README.md of an exported model: a model card, with the metadata that hubs read. */
export function modelCard(content: CardContent): string {
  const { name, run, checkpoint, exported, dtype } = content;
  const { manifest } = run;
  const { recipe } = manifest;
  const adapter = exported.base === undefined ? '' : 'a LoRA adapter for ';
  const facts = `${adapter}${markdownText(exported.architecture)}, ${formatCount(exported.parameters)} parameters, ${dtype}`;
  const stages = Object.entries(recipe.stages).map(([stage, { kind }]) =>
    stage === kind ? markdownText(stage) : `${markdownText(stage)} (${kind})`,
  );
  return [
    '---',
    visibleText(stringify(metadata(content)).trimEnd()),
    '---',
    '',
    `# ${markdownText(basename(name))}`,
    '',
    `A policy (${facts}) that plays ${environmentNames(recipe).map(markdownCode).join(', ')}, trained with agentgym: recipe ${markdownCode(manifest.name)}, stages ${stages.join(', ')}, ` +
      `checkpoint of step ${checkpoint.runStep}. ${baseLine(content.base)}`,
    '',
    '## Results',
    '',
    ...resultLines(content),
    '',
    '## How to load it',
    '',
    ...loading(name, exported.base !== undefined),
    '',
    `Actions have the format ${markdownCode(recipe.format.name)}.` +
      (exported.base === undefined ? ' `generation_config.json` samples as the policy did in training.' : ''),
    '',
    '## How it was trained',
    '',
    ...(content.command === undefined ? [] : [...markdownBlock('console', `$ ${content.command}`), '']),
    `agentgym ${markdownText(manifest.versions['agentgym'] ?? '')} trained it with the random seed ${recipe.seed}. The recipe with all settings, which \`agentgym train recipe.yaml\` repeats:`,
    '',
    ...markdownBlock('yaml', stringify(withoutPaths(recipe)).trimEnd()),
    '',
    ...(manifest.splits === null ? [] : ['## Data', '', ...dataLines(manifest.splits), '']),
    ...licenseLines(content.base),
  ].join('\n');
}

function metadata({ name, run, checkpoint, base, exported }: CardContent): { readonly [key: string]: unknown } {
  const { manifest, result } = run;
  const { recipe } = manifest;
  const evaluation = checkpoint.isFinal ? result?.evaluation : undefined;
  const baseName = [exported.base?.name, base?.name].find((one) => one !== undefined && isModelName(one));
  return {
    library_name: exported.base === undefined ? 'transformers' : 'peft',
    pipeline_tag: 'text-generation',
    ...(baseName !== undefined && { base_model: baseName }),
    ...(base?.license !== undefined && { license: base.license }),
    tags: ['agentgym', 'reinforcement-learning', ...environmentNames(recipe), ...algorithmsOf(recipe)],
    ...(evaluation && {
      'model-index': [{ name: basename(name), results: [indexed(environmentNames(recipe).join(' + '), evaluation)] }],
    }),
  };
}

/** Names of the algorithms of all rl stages. */
function algorithmsOf({ stages, algorithm }: Recipe): readonly string[] {
  const names = Object.values(stages).flatMap((stage) =>
    stage.kind === 'rl' ? (stage.algorithm?.name ?? algorithm?.name ?? []) : [],
  );
  return [...new Set(names)];
}

/** A result in the form that hubs show. */
function indexed(environment: string, { split, success }: EvaluationSummary) {
  return {
    task: { type: 'reinforcement-learning' },
    dataset: { name: environment, type: environment, split },
    metrics: [{ type: 'success_rate', name: 'success', value: success.rate }],
  };
}

function baseLine(base: BaseModel | undefined): string {
  if (base === undefined) return 'It was built from scratch.';
  if (base.name === undefined) return 'It began from a folder with weights.';
  return `It began from ${markdownText(base.name)}${base.commit === undefined ? '' : ` (commit ${markdownText(base.commit)})`}.`;
}

/** The final evaluation belongs to the last checkpoint only. An earlier one has its own evaluations. */
function resultLines({ run, checkpoint }: CardContent): string[] {
  // A card is about one player. Tables by label of all players are in the report of the run.
  if (checkpoint.isFinal)
    return markdownLines(runSection(run, ({ player, temperature }) => player === 'policy' && temperature === 0));
  const played = run.evaluations.filter(({ runStep, player }) => runStep === checkpoint.runStep && player === 'policy');
  if (played.length === 0) return ['This checkpoint was not evaluated.'];
  const rows = played.map(({ evaluation }) => {
    const where = evaluation.environment === undefined ? '' : `${evaluation.environment}, `;
    return { name: `${where}${evaluation.split}, temperature ${evaluation.temperature}`, evaluation };
  });
  const table = playersTable(rows, 'Evaluations of this checkpoint');
  return [...markdownLines([table]), '', 'Evaluations during training at this step; 95 % intervals for other tasks.'];
}

function loading(name: string, isAdapter: boolean): string[] {
  const model = isAdapter ? 'AutoPeftModelForCausalLM' : 'AutoModelForCausalLM';
  const imports = isAdapter
    ? ['from peft import AutoPeftModelForCausalLM', 'from transformers import AutoTokenizer']
    : ['from transformers import AutoModelForCausalLM, AutoTokenizer'];
  return [
    '```python',
    ...imports,
    '',
    `tokenizer = AutoTokenizer.from_pretrained(${JSON.stringify(name)})`,
    `model = ${model}.from_pretrained(${JSON.stringify(name)}, dtype="auto")`,
    'messages = [{"role": "user", "content": "the first observation"}]',
    'inputs = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True, return_tensors="pt")',
    'tokens = model.generate(**inputs)[0, inputs["input_ids"].shape[1]:]',
    'print(tokenizer.decode(tokens, skip_special_tokens=True))',
    '```',
  ];
}

function dataLines({ uses, overlap }: SplitProof): string[] {
  const rows = Object.entries(uses);
  const table = tableOf<(typeof rows)[number]>(
    'Tasks by use',
    [
      { title: 'use', kind: 'text', cell: ([use]) => use },
      { title: 'tasks', kind: 'number', cell: ([, { tasks }]) => String(tasks) },
      { title: 'SHA-256 of their ids', kind: 'text', cell: ([, { fingerprint }]) => `\`${fingerprint}\`` },
    ],
    rows,
  );
  const { trainAndValidation, trainAndTest, validationAndTest } = overlap;
  return [
    ...markdownLines([table]),
    '',
    markdownText(
      `Tasks in common: training and validation ${trainAndValidation}, training and test ${trainAndTest}, validation and test ${validationAndTest}.`,
    ),
  ];
}

function licenseLines(base: BaseModel | undefined): string[] {
  if (base === undefined) return [];
  const of = base.name === undefined ? 'the model that it began from' : markdownText(base.name);
  const named = base.license === undefined ? '' : ` (${markdownText(base.license)})`;
  return ['## Licence', '', `The weights derive from ${of}: its licence${named} applies.`, ''];
}

/** Paths of the training machine are of no use elsewhere, and may contain names of people. */
function withoutPaths(value: unknown): unknown {
  if (typeof value === 'string') return isAbsolute(value) ? `./${basename(value)}` : value;
  if (Array.isArray(value)) return value.map(withoutPaths);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutPaths(inner)]));
}
