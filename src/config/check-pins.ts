import semver from 'semver';

import { installCommand } from './install-command.js';

/** An installed package of a plugin. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** `project`, `linked`, `user` or `built-in`. */
  readonly origin: string;
}

interface PinFinding {
  readonly name: string;
  readonly message: string;
  readonly hint: string;
}

/**
 * The violated pins in a recipe's `plugins`. A pin requires a package even if the recipe does not use it, so no pin is
 * without effect. Prereleases count only if the range names one, as in npm.
 */
export function checkPins(
  pins: { readonly [name: string]: string } = {},
  installed: readonly InstalledPackage[],
): readonly PinFinding[] {
  return Object.entries(pins).flatMap(([name, range]): PinFinding[] => {
    const found = installed.find((item) => item.name === name);
    const wants = `the recipe requires ${name} ${range}`;
    if (found === undefined) {
      const [user, project] = ['user', 'project'].map((origin) => installCommand({ name, origin }, range));
      const hint = `Install it: \`${user}\`, or for this project \`${project}\`.`;
      return [{ name, message: `${wants}, but it is not installed`, hint }];
    }
    if (semver.satisfies(found.version, range)) return [];
    return [
      {
        name,
        message: `${wants}, and ${found.version} is ${found.origin === 'built-in' ? 'built in' : found.origin === 'linked' ? 'linked' : 'installed'}`,
        hint:
          found.origin === 'linked'
            ? `Update the linked folder to that version, or unlink it with \`agentgym plugins uninstall ${name}\`.`
            : `Install another version: \`${installCommand(found, range)}\`.`,
      },
    ];
  });
}
