import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Config } from '@oclif/core';

import { messageOf } from '../errors/message-of.js';
import { printable } from '../reporting/terminal-style.js';

/**
 * For a plugin whose folder is missing, oclif warns with a stack on every command. This prints one line with the
 * solution instead. Other warnings of oclif stay.
 */
export function reportMissingPlugins(): void {
  const prototype = Config.prototype as unknown as { warn: (this: Config, warning: unknown, scope?: string) => void };
  const warn = prototype.warn;
  const told = new Set<string>();
  prototype.warn = function (warning, scope) {
    const missing = missingFolders(this.dataDir);
    const names = missing.filter(({ name, root }) => isAbout(warning, name, root));
    if (names.length === 0) return warn.call(this, warning, scope);
    for (const { name, root } of names) {
      if (told.has(name)) continue;
      told.add(name);
      const cure = `\`agentgym plugins uninstall ${name}\` removes it from the list`;
      process.stderr.write(`${printable(`Plugin ${name} is left out: its folder ${root} is gone. ${cure}.`)}\n`);
    }
  };
}

function isAbout(warning: unknown, name: string, root: string): boolean {
  const message = messageOf(warning);
  return message.includes(root) || message.includes(`'${name}'`);
}

function missingFolders(dataDirectory: string): readonly { name: string; root: string }[] {
  try {
    const { oclif } = JSON.parse(readFileSync(join(dataDirectory, 'package.json'), 'utf8')) as {
      oclif?: { plugins?: { name: string; root?: string }[] };
    };
    return (oclif?.plugins ?? []).flatMap(({ name, root }) =>
      root === undefined || existsSync(join(root, 'package.json')) ? [] : [{ name, root }],
    );
  } catch {
    return [];
  }
}
