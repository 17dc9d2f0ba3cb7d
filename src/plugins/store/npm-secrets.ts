import { homedir } from 'node:os';
import { join } from 'node:path';

import { secretsOf } from '../../errors/hide-secrets.js';
import { readTextFile } from '../../files/read-whole-file.js';

/**
 * The passwords and tokens that npm's configuration may send to a registry: those of the user's `.npmrc`, of variables
 * that it names, and of the addresses of registries and proxies. A registry may repeat them in its answers.
 */
export async function npmSecrets(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const named = Object.entries(environment).find(([name]) => name.toLowerCase() === 'npm_config_userconfig')?.[1];
  const file = await readTextFile(named || join(homedir(), '.npmrc')).catch(() => '');
  const settings = Object.entries(environment).flatMap(([name, value = '']) =>
    /^(npm_config_.*|agentgym_npm_registry|https?_proxy|all_proxy|proxy)$/i.test(name) ? [`${name}=${value}`] : [],
  );
  return [...file.split('\n'), ...settings].flatMap((line) => secretsInLine(line, environment));
}

function secretsInLine(line: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const [, name = '', written = ''] = /^\s*([^=]+?)(?:\[\])?\s*=\s*["']?(.*?)["']?\s*$/.exec(line) ?? [];
  const value = written.replaceAll(/\$\{([^}?]+)\??\}/g, (whole, variable: string) => environment[variable] ?? whole);
  if (!/_(authtoken|auth|password)$/i.test(name)) return secretsOf(value);
  const plain = Buffer.from(value, 'base64').toString();
  // `_auth` is name and password in base64, `_password` is a password in base64.
  const encoded = /_auth$/i.test(name) ? plain.split(':').slice(1).join(':') : /_password$/i.test(name) ? plain : '';
  return [value, encoded].filter((secret) => secret.length >= 3);
}
