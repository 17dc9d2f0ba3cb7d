// Compares runs on an MLflow server with their files, by MLflow's REST API only.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = ['recipe.json', 'manifest.json', 'result.json', 'evaluations.jsonl', 'report.html'];

/** What differs between a run's folder and MLflow; `what` counts what was compared. */
export async function compareRun(address, folder, { repeated = { from: 0, to: 0 } } = {}) {
  const wrong = [];
  const { runId } = JSON.parse(readFileSync(join(folder, 'mlflow.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const { run } = await get(address, `mlflow/runs/get?run_id=${runId}`);
  const { info, data } = run;
  if (info.status !== 'FINISHED') wrong.push(`its status is ${info.status}`);

  const params = Object.fromEntries(data.params.map(({ key, value }) => [key, value]));
  const expected = leavesOf(manifest.recipe);
  for (const [key, value] of Object.entries(expected)) {
    if (params[key] !== value) wrong.push(`param ${key} is ${params[key]}, not ${value}`);
  }
  if (data.params.length !== Object.keys(expected).length) wrong.push(`it has ${data.params.length} params`);

  const tags = Object.fromEntries(data.tags.map(({ key, value }) => [key, value]));
  if (tags['agentgym.run_id'] !== manifest.id) wrong.push(`its tag agentgym.run_id is ${tags['agentgym.run_id']}`);
  if (tags['agentgym.status'] !== 'completed') wrong.push(`its tag agentgym.status is ${tags['agentgym.status']}`);
  if ((tags['mlflow.source.git.commit'] ?? null) !== (manifest.git?.commit ?? null)) wrong.push('its commit differs');

  const curves = curvesOf(folder);
  let [points, evaluations] = [0, 0];
  for (const { key } of data.metrics) {
    const history = await historyOf(address, runId, key);
    if (key.startsWith('evaluation/')) {
      evaluations += 1;
      if (history.length !== 1) wrong.push(`${key} has ${history.length} values`);
      const value = evaluationValue(folder, key);
      if (value !== history[0].value) wrong.push(`${key} is ${history[0].value}, not ${value}`);
      continue;
    }
    const own = curves.get(key) ?? [];
    points += own.length;
    if (own.length !== history.length) wrong.push(`${key} has ${history.length} points, not ${own.length}`);
    for (const [index, { step, value }] of own.entries()) {
      const there = history[index];
      const isRepeated = key.startsWith('time/') && step > repeated.from && step <= repeated.to;
      if (there?.step === step && (isRepeated || there.value === value)) continue;
      wrong.push(`${key} at step ${step} is ${there?.value} (step ${there?.step}), not ${value}`);
      break;
    }
    const times = history.map(({ timestamp }) => Number(timestamp));
    if (times.some((time, index) => time < (times[index - 1] ?? 0))) wrong.push(`times of ${key} do not rise`);
    const begun = Date.parse(manifest.createdAt);
    if (times.some((time) => time < begun || time > Date.now())) wrong.push(`times of ${key} are not those of the run`);
  }
  for (const key of curves.keys()) if (!data.metrics.some((one) => one.key === key)) wrong.push(`${key} is missing`);

  const files = await artifacts(address, info, folder, FILES, wrong);
  const counted = `${Object.keys(expected).length} params, ${points} points of ${curves.size} curves, ${evaluations} numbers of evaluations, ${files} files`;
  return { what: counted, wrong, runId };
}

/** As `compareRun`, for an ablation with its cells. */
export async function compareAblation(address, folder) {
  const wrong = [];
  const { runId, experimentId } = JSON.parse(readFileSync(join(folder, 'mlflow.json'), 'utf8'));
  const { run } = await get(address, `mlflow/runs/get?run_id=${runId}`);
  const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  const tags = Object.fromEntries(run.data.tags.map(({ key, value }) => [key, value]));
  if (run.info.status !== 'FINISHED') wrong.push(`its status is ${run.info.status}`);
  if (tags['agentgym.question'] !== result.question) wrong.push(`its question is ${tags['agentgym.question']}`);
  if (tags['agentgym.answer'] !== result.answer) wrong.push(`its answer is ${tags['agentgym.answer']}`);
  if (!tags['mlflow.note.content']?.includes('| cell')) wrong.push('its description has no table of the answer');
  for (const { id, success } of result.cells) {
    const value = run.data.metrics.find(({ key }) => key === `cell/${id}/success`)?.value;
    if (value !== success.rate) wrong.push(`cell/${id}/success is ${value}, not ${success.rate}`);
  }
  const files = await artifacts(address, run.info, folder, ['ablation.json', 'result.json', 'report.html'], wrong);
  const search = { experiment_ids: [experimentId], filter: `tags.\`mlflow.parentRunId\` = '${runId}'` };
  const { runs = [] } = await post(address, 'mlflow/runs/search', search);
  const cells = readdirSync(join(folder, 'cells')).flatMap((cell) =>
    readdirSync(join(folder, 'cells', cell)).flatMap((name) => (name.endsWith('.json') ? [] : [`${cell}/${name}`])),
  );
  if (runs.length !== cells.length) wrong.push(`it has ${runs.length} nested runs, not ${cells.length}`);
  const compared = [];
  for (const cell of cells) {
    const one = await compareRun(address, join(folder, 'cells', cell));
    if (!runs.some(({ info }) => info.run_id === one.runId)) wrong.push(`${cell} is not below the ablation`);
    wrong.push(...one.wrong.map((complaint) => `${cell}: ${complaint}`));
    compared.push(`${cell}: ${one.what}`);
  }
  return { what: [`a parent run with ${files} files, ${runs.length} nested runs`, ...compared].join('\n    '), wrong };
}

async function artifacts(address, info, folder, names, wrong) {
  const root = info.artifact_uri.replace(/^mlflow-artifacts:\/*/, '');
  let files = 0;
  for (const name of names) {
    const answer = await fetch(`${address}/api/2.0/mlflow-artifacts/artifacts/${root}/${name}`);
    const content = Buffer.from(await answer.arrayBuffer());
    const own =
      name === 'recipe.json' ? recipeOf(folder) : existsSync(join(folder, name)) && readFileSync(join(folder, name));
    files += 1;
    if (!answer.ok) wrong.push(`the file ${name} is missing (${answer.status})`);
    else if (name === 'report.html') {
      if (!/^<!doctype html>/i.test(content.toString('utf8'))) wrong.push('the report is no page');
    } else if (!content.equals(own)) wrong.push(`the file ${name} differs`);
  }
  return files;
}

function recipeOf(folder) {
  const { recipe } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  return Buffer.from(`${JSON.stringify(recipe, null, 2)}\n`);
}

/** The curves of metrics.jsonl, by name. */
function curvesOf(folder) {
  const curves = new Map();
  for (const line of readFileSync(join(folder, 'metrics.jsonl'), 'utf8').trim().split('\n')) {
    const { formatVersion: _, stage, step: __, runStep, ...metrics } = JSON.parse(line);
    for (const [name, value] of Object.entries(metrics)) {
      const key = `${name}/${stage}`;
      curves.set(key, [...(curves.get(key) ?? []), { step: runStep, value }]);
    }
  }
  return curves;
}

/** The number of an evaluation in result.json: `evaluation/SPLIT/PLAYER[/tTEMPERATURE]/MEASURE`. */
function evaluationValue(folder, key) {
  const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  const [, split, player, ...rest] = key.split('/');
  const measure = rest.pop();
  const lists = { policy: result.evaluations, start: result.starts };
  const all = lists[player] ?? [result.baselines[player]];
  const found = all.find((one) => one.split === split && (rest[0] === undefined || rest[0] === `t${one.temperature}`));
  const [of, end] = measure.split('_');
  if (found === undefined) return undefined;
  return of in found && typeof found[of] === 'object' ? found[of][end ?? 'rate'] : found[measure];
}

function leavesOf(value, prefix = '') {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.entries(leavesOf(inner, `${prefix}${key}.`))
        : [[`${prefix}${key}`, typeof inner === 'string' ? inner : JSON.stringify(inner)]],
    ),
  );
}

async function historyOf(address, runId, key) {
  const points = [];
  for (let token = ''; token !== undefined;) {
    const query = new URLSearchParams({ run_id: runId, metric_key: key, max_results: '1000', page_token: token });
    const page = await get(address, `mlflow/metrics/get-history?${query}`);
    points.push(...(page.metrics ?? []));
    token = page.next_page_token || undefined;
  }
  // Numbers are JSON numbers, and steps of 0 are left out.
  return points
    .map(({ step = 0, value, timestamp }) => ({ step: Number(step), value, timestamp }))
    .sort((a, b) => a.step - b.step);
}

async function get(address, path) {
  return answerOf(await fetch(`${address}/api/2.0/${path}`));
}

async function post(address, path, document) {
  const headers = { 'content-type': 'application/json' };
  return answerOf(
    await fetch(`${address}/api/2.0/${path}`, { method: 'POST', headers, body: JSON.stringify(document) }),
  );
}

async function answerOf(response) {
  if (!response.ok) throw new Error(`${response.url} answered with ${response.status}: ${await response.text()}`);
  return response.json();
}
