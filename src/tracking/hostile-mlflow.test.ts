import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import {
  answer,
  type Behaviour,
  type HostileServer,
  hostileBehaviours,
  startHostileServer,
} from '../transfers/fixtures/hostile-server.js';
import { mlflowAccess } from './mlflow-access.js';
import { MlflowClient } from './mlflow-client.js';
import { MlflowRun } from './mlflow-run.js';

const token = 'tok3n-SECRET-tok3n';

/** Opens a run on a server. */
async function openOn(server: HostileServer, signal = AbortSignal.timeout(30_000)) {
  const client = new MlflowClient(mlflowAccess({ MLFLOW_TRACKING_URI: server.url, MLFLOW_TRACKING_TOKEN: token }));
  const folder = mkdtempSync(join(tmpdir(), 'hostile-mlflow-'));
  const identity = { tag: 't', value: 'v', startTime: 1, name: 'run' };
  return MlflowRun.open(client, folder, identity, signal).catch((error: unknown) => error as Error);
}

const open = async (behaviour: Behaviour, signal?: AbortSignal) => openOn(await startHostileServer(behaviour), signal);

const info = { run_id: 'r', experiment_id: '0', artifact_uri: 'x', status: 'RUNNING', lifecycle_stage: 'active' };
/** A server that knows no run and creates this one. */
const creates =
  (run: unknown): Behaviour =>
  (request, ...rest) =>
    answer(request.url?.endsWith('runs/search') === true ? {} : { run })(request, ...rest);

describe('an MLflow server that lies', () => {
  it.each<[string, Behaviour, string]>([
    ['null for the run', creates(null), 'with run: null, not an object'],
    ['no info', creates({ data: {} }), 'with run.info: missing'],
    ['a number for the id', creates({ info: { ...info, run_id: 5 } }), 'with run.info.run_id: 5, not a text'],
    [
      'an object for the params',
      creates({ info, data: { params: { a: 1 } } }),
      'with run.data.params: an object, not a list',
    ],
    [
      'null for a metric',
      creates({ info, data: { metrics: [null] } }),
      'with run.data.metrics[0]: null, not an object',
    ],
    [
      'a step that is none',
      creates({ info, data: { metrics: [{ key: 'a', step: 'x' }] } }),
      'with run.data.metrics[0].step: not a step',
    ],
    ['half a step', creates({ info, data: { metrics: [{ key: 'a', step: 1.5 }] } }), 'step: 1.5, not a whole number'],
    [
      'a tag without a value',
      creates({ info, data: { tags: [{ key: 'a' }] } }),
      'with run.data.tags[0].value: missing',
    ],
    ['a text for the runs', answer({ runs: 'x' }), 'with runs: "x", not a list'],
    ['null for a run', answer({ runs: [null] }), 'with runs[0]: null, not an object'],
    ['a list', answer([]), 'does not answer like an MLflow server (application/json)'],
    [
      'an object for a message',
      answer({ error_code: 5, message: {} }, 400),
      'answers with status 400; there is no MLflow server at the address',
    ],
  ])('gives a failure with the member: %s', async (_, behaviour, problem) => {
    const failure = await open(behaviour);
    expect(failure).toMatchObject({ name: 'TrackingFailure', message: expect.stringContaining(problem) as string });
  });

  it('whose run has everything is used', async () => {
    const data = { metrics: [{ key: 'a', step: '12', value: 1 }], params: [], tags: [{ key: 'a', value: 'b' }] };
    expect(await open(creates({ info, data }))).toBeInstanceOf(MlflowRun);
  });

  it.each(['a body without an end', 'a complaint without an end', 'a gzip bomb', 'no HTTP', 'JSON that is too deep'])(
    'ends at %s',
    async (name) => {
      const server = await startHostileServer(hostileBehaviours[name]!);
      expect(await openOn(server)).toMatchObject({ name: 'TrackingFailure' });
      expect(server.sent()).toBeLessThan(2 ** 26);
    },
  );

  it.each([200, 302, 400, 401, 500])('shows no token that is repeated with status %i', async (status) => {
    const failure = await open((request, response) =>
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'retry-after': '0',
          location: `http://localhost:1/${token}`,
        })
        .end(
          JSON.stringify({
            error_code: 'X',
            message: `no ${request.headers.authorization}`,
            runs: `${request.headers.authorization}`,
          }),
        ),
    );
    expect(failure).toMatchObject({ name: 'TrackingFailure' });
    expect((failure as Error).message).not.toContain('SECRET');
  });
});
