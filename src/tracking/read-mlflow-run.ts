import type { JsonPlace } from '../contracts/wire.js';

/** A run as a server has it. */
export interface KnownRun {
  readonly runId: string;
  readonly experimentId: string;
  readonly artifactUri: string;
  status: string;
  readonly isActive: boolean;
  /** The last step of each curve. */
  readonly steps: Map<string, number>;
  readonly params: Set<string>;
  readonly tags: Map<string, string>;
}

/** Reads a run (https://mlflow.org/docs/latest/rest-api.html). @throws the error with which the document was opened */
export function readMlflowRun(run: JsonPlace): KnownRun {
  const [info, data] = [run.member('info'), run.member('data')];
  const listed = (name: string) => {
    const list = data.isAbsent ? data : data.member(name);
    return list.isAbsent ? [] : list.items();
  };
  return {
    runId: info.member('run_id').text(),
    experimentId: info.member('experiment_id').text(),
    artifactUri: info.member('artifact_uri').text(),
    status: info.member('status').text(),
    isActive: info.member('lifecycle_stage').text() === 'active',
    steps: new Map(listed('metrics').map((metric) => [metric.member('key').text(), stepOf(metric.member('step'))])),
    params: new Set(listed('params').map((param) => param.member('key').text())),
    tags: new Map(listed('tags').map((tag) => [tag.member('key').text(), tag.member('value').text()])),
  };
}

/** A number, or a text with one, as protobuf writes large numbers. Absent: 0. */
function stepOf(step: JsonPlace): number {
  if (step.isAbsent) return 0;
  if (typeof step.value !== 'string') return step.integer();
  return /^-?\d{1,15}$/.test(step.value) ? Number(step.value) : step.fail(`not a step`);
}
