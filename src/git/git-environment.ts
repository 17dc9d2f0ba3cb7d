/**
 * The variables that git needs to find itself and its settings. Editors, pagers and GIT_DIR are left out, because
 * simple-git refuses them or they point elsewhere.
 */
export function gitEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'USERPROFILE', 'SYSTEMROOT', 'TMPDIR', 'TEMP', 'XDG_CONFIG_HOME'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
