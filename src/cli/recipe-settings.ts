import type { Setting } from '../config/parse-setting.js';

/** The recipe keys that flags set. Flags with their own name come before `--set`, which may override them. */
export function recipeSettings(flags: {
  readonly environment?: string | undefined;
  readonly seed?: number | undefined;
  readonly set?: readonly string[] | undefined;
}): readonly (string | Setting)[] {
  const { environment, seed, set = [] } = flags;
  return [
    ...(environment === undefined ? [] : [setting('environment', ['environment', 'name'], environment)]),
    ...(seed === undefined ? [] : [setting('seed', ['seed'], seed)]),
    ...set,
  ];
}

function setting(flag: string, path: readonly string[], value: string | number): Setting {
  return { flag: `--${flag} ${value}`, path, value };
}
