import { Kit } from './conformance-kit.js';
import { type EnvironmentContext, prepareEnvironment } from './environment-checks/environment-context.js';
import type { EnvironmentCheckSettings, EnvironmentSubject } from './environment-checks/environment-subject.js';
import { episodeChecks } from './environment-checks/episode-checks.js';
import { functionsCheck } from './environment-checks/functions-check.js';
import { lifecycleChecks } from './environment-checks/lifecycle-checks.js';
import { malformedCheck } from './environment-checks/malformed-check.js';
import { repetitionChecks } from './environment-checks/repetition-checks.js';
import { sharingChecks } from './environment-checks/sharing-checks.js';
import { stateKeyCheck } from './environment-checks/state-key-check.js';
import { taskChecks } from './environment-checks/task-checks.js';

/** Checks an environment against its contract, like Gymnasium's env_checker. */
export const environmentKit = new Kit<EnvironmentSubject, EnvironmentCheckSettings, EnvironmentContext>({
  preparation: {
    id: 'create',
    title: 'open() and create() work and return a valid world and valid instances',
    cure: 'Make open() and create() work with the declared defaults, and return every member of the contract.',
  },
  availability: {
    id: 'available',
    title: 'the world is available',
    cure: 'Start the server, or set its address in an option. Throw `UNAVAILABLE` only if the world itself is down.',
  },
  checks: [
    ...taskChecks,
    ...episodeChecks,
    ...repetitionChecks,
    stateKeyCheck,
    ...sharingChecks,
    malformedCheck,
    functionsCheck,
    ...lifecycleChecks,
  ],
  prepare: prepareEnvironment,
});
