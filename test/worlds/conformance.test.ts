// The kit finds nothing in the built worlds of the guide on slow worlds.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { environmentKit, optionDefaults } from '@agentgym/cli/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

import * as childGame from '../../docs/guides/examples/slow-worlds/src/child-game.js';
import contributions from '../../docs/guides/examples/slow-worlds/src/index.js';
import * as leasedGame from '../../docs/guides/examples/slow-worlds/src/leased-game.js';
import { leasedGameOptions, pythonGameOptions } from '../../docs/guides/examples/slow-worlds/src/options.js';
import * as pythonGame from '../../docs/guides/examples/slow-worlds/src/python-game.js';
import { longIt } from '../long.js';
import { type GameServer, startServer } from './game-server.js';
import { makeProject, removeProject } from './make-project.js';
import { withoutPython } from './python.js';

const project = makeProject();
const [childContribution, leasedContribution, pythonContribution] = contributions;
let server: GameServer;
beforeAll(async () => {
  server = await startServer(project);
});
afterAll(() => removeProject(project));

/** Fewer tasks and answers than usual, because each call goes to another process. */
const few = { tasks: 2, malformed: 40 };
const built = (name: string) => ({ freshProcess: pathToFileURL(join(project, 'dist', `${name}.js`)) });

longIt('a process for every instance', { timeout: 120_000 }, async () => {
  const subject = { ...childGame, options: {}, contribution: childContribution! };
  expect(await environmentKit.check(subject, { ...built('child-game'), ...few })).toEqual([]);
});

it('leases of a server', { timeout: 120_000 }, async () => {
  const options = { ...optionDefaults(leasedGameOptions), url: server.url };
  const subject = { ...leasedGame, options, contribution: leasedContribution! };
  expect(await environmentKit.check(subject, { ...built('leased-game'), ...few })).toEqual([]);
  expect(await server.leased()).toBe(0);
});

it.skipIf(withoutPython)('games in one Python process', { timeout: 120_000 }, async () => {
  const subject = { ...pythonGame, options: optionDefaults(pythonGameOptions), contribution: pythonContribution! };
  expect(await environmentKit.check(subject, { ...built('python-game'), ...few })).toEqual([]);
});
