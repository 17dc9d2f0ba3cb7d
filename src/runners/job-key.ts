import { randomBytes } from 'node:crypto';

/** The environment variable that brings the key of a job to its node. */
export const jobKeyVariable = 'AGENTGYM_JOB_KEY';

/** A key with which one job signs what it tells. */
export function newJobKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Takes the key out of the environment, so that plugins and their child processes do not find it there. */
export function takeJobKey(environment: { [name: string]: string | undefined }): string | undefined {
  const key = environment[jobKeyVariable];
  delete environment[jobKeyVariable];
  return key;
}
