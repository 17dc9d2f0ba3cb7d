import { describe, expect, it } from 'vitest';

import { isAgentgymError } from '../errors/agentgym-error.js';
import { mlflowAccess } from './mlflow-access.js';

const address = 'http://localhost:5000';

function refusal(environment: Record<string, string>) {
  try {
    mlflowAccess(environment);
  } catch (error) {
    if (isAgentgymError(error)) return error;
  }
  throw new Error('it was accepted');
}

describe('the server that the environment names', () => {
  it('has an address without its slash, and the experiment of the environment', () => {
    expect(mlflowAccess({ MLFLOW_TRACKING_URI: ' http://Localhost:5000/mlflow/ ' })).toEqual({
      address: 'http://localhost:5000/mlflow',
      host: 'localhost:5000',
      experiment: { id: '0' },
      secrets: [],
    });
    const named = mlflowAccess({ MLFLOW_TRACKING_URI: address, MLFLOW_EXPERIMENT_NAME: 'games' });
    expect(named.experiment).toEqual({ name: 'games' });
  });

  it('gets credentials from the address first, then a name with a password, then a token', () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const rest = { MLFLOW_TRACKING_USERNAME: 'ann', MLFLOW_TRACKING_PASSWORD: 'pw', MLFLOW_TRACKING_TOKEN: 'tok' };
    const inAddress = mlflowAccess({ MLFLOW_TRACKING_URI: 'https://bob:s%40crt@host', ...rest });
    expect(inAddress).toMatchObject({ address: 'https://host', authorization: basic('bob:s@crt') });
    expect(inAddress.secrets).toEqual(expect.arrayContaining(['s@crt', 's%40crt']));
    expect(mlflowAccess({ MLFLOW_TRACKING_URI: address, ...rest }).authorization).toBe(basic('ann:pw'));
    const token = mlflowAccess({ MLFLOW_TRACKING_URI: address, MLFLOW_TRACKING_TOKEN: 'tok' });
    expect(token.authorization).toBe('Bearer tok');
  });

  it.each([
    ['no address', {}],
    ['a database', { MLFLOW_TRACKING_URI: 'sqlite:///s3cret.db' }],
    ['a query', { MLFLOW_TRACKING_URI: 'http://host/?token=s3cret' }],
    ['half of the credentials', { MLFLOW_TRACKING_URI: address, MLFLOW_TRACKING_PASSWORD: 's3cret' }],
    ['a token with a line break', { MLFLOW_TRACKING_URI: address, MLFLOW_TRACKING_TOKEN: 's3cret\nx' }],
    ['two experiments', { MLFLOW_TRACKING_URI: address, MLFLOW_EXPERIMENT_NAME: 'a', MLFLOW_EXPERIMENT_ID: '1' }],
  ])('is refused with %s, and the message repeats no value', (_, environment) => {
    const error = refusal(environment);
    expect(error.code).toBe('AG_TRACKING_SETTING');
    expect(error.exitCode).toBe(2);
    expect(`${error.message} ${error.hint}`).not.toContain('s3cret');
    expect(error.hint).not.toBe('');
  });
});
