// Runs the commands of the page on installing in order, for a user with a registry, a folder, a tarball and a
// repository.
import { cpSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { beforeAll, describe, expect, inject, it } from 'vitest';

import { codeBlocks } from '../docs/code-blocks.js';
import { consoleCommands } from '../docs/console-commands.js';
import { registryDocuments } from '../docs/documents.js';
import { matchesOutput } from '../docs/match-output.js';
import { runCommand } from '../docs/run-command.js';
import { fixtureRepository, packFixture, publishFixture, writeFixturePlugin } from './fixture-plugin.js';
import { newUser, type User } from './run-agentgym.js';

let user: User;
let environment: Record<string, string>;

beforeAll(async () => {
  user = newUser();
  const home = dirname(user.data);
  await publishFixture({ name: '@agentgym/plugin-env-babyai', environment: 'babyai' });
  await publishFixture({
    name: '@somebody/agentgym-plugin-env-chess',
    version: '2.1.0',
    environment: 'chess',
  });
  const mine = await writeFixturePlugin({ name: 'env-mine', environment: 'mine' });
  for (const folder of [join(home, 'env-mine'), join(home, 'work', 'env-mine')])
    cpSync(mine, folder, { recursive: true });
  const downloads = join(home, 'work', 'downloads');
  const packed = await packFixture(downloads, { name: 'env-maze', environment: 'maze' });
  renameSync(packed, join(downloads, 'env-maze-1.0.0.tgz'));
  mkdirSync(join(home, 'hub', 'somebody'), { recursive: true });
  await fixtureRepository(join(home, 'hub', 'somebody'), 'env-go.git', { name: 'env-go', environment: 'go' });
  const programs = join(home, 'programs');
  mkdirSync(programs);
  writeFileSync(
    join(programs, 'agentgym'),
    `#!/bin/sh\nexec "${process.execPath}" "${inject('installed').bin}" "$@"\n`,
    {
      mode: 0o755,
    },
  );
  environment = {
    ...user.environment,
    PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`,
    // A folder replaces the hub of the page.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${join(home, 'hub')}/.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/',
  };
});

const commandsOf = (document: string) =>
  codeBlocks(document)
    .filter(({ language }) => language === 'console')
    .flatMap(consoleCommands);

describe('commands of documents that want a registry', () => {
  it.each(registryDocuments)('%s', { timeout: 300_000 }, async (document) => {
    const home = dirname(user.data);
    const commands = commandsOf(document);
    expect(commands.length).toBeGreaterThan(5);
    for (const command of commands) {
      const { code, printed } = await runCommand(command, join(home, 'work'), home, environment);
      expect(code, `${document}:${command.line}: ${command.command}\n${printed}`).toBe(command.exitCode);
      if (command.output.length > 0) expect(matchesOutput(command.output, printed, { anyNumbers: false })).toBe(true);
    }
  });
});
