// A path without a scheme is taken for a GitHub repository by `plugins install`: say how a local plugin is installed instead.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Hook } from '@oclif/core';

const GITHUB = 'https://github.com/';

const hook: Hook<'plugins:preinstall'> = function ({ plugin }) {
  if (plugin.type === 'repo' && plugin.url.startsWith(GITHUB)) {
    const path = resolve(plugin.url.slice(GITHUB.length));
    if (existsSync(path)) {
      const command = statSync(path).isDirectory() ? `plugins link ${path}` : `plugins install file:${path}`;
      this.error(`${path} is a local path; a local plugin is installed by \`agentgym ${command}\``, { exit: 2 });
    }
  }
  return Promise.resolve();
};

export default hook;
