import * as v from 'valibot';

import type { PythonPackage } from '../contracts/requirement.js';
import { runProgram } from '../processes/run-program.js';

/** Prints the version of Python, and of each package that is installed, with the hash of its list of files. */
const program = `
import hashlib, importlib.metadata, json, platform, sys
packages = {}
for name in sys.argv[1:]:
    try:
        package = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        continue
    record = package.read_text("RECORD")
    packages[name] = {"version": package.version}
    if record is not None:
        packages[name]["sha256"] = hashlib.sha256(record.encode()).hexdigest()
print(json.dumps({"version": platform.python_version(), "packages": packages}))
`;

const answer = v.object({
  version: v.string(),
  packages: v.record(v.string(), v.object({ version: v.string(), sha256: v.exactOptional(v.string()) })),
});

/** What an interpreter has of these packages. Throws an Error if it does not answer. */
export async function askPython(
  path: string,
  packages: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly packages: { readonly [name: string]: PythonPackage } }> {
  const failure = (message: string) => new Error(message);
  // `-I` leaves out the working folder and variables of the user, which might have modules of the same names.
  const { code, stdout, stderr } = await runProgram(path, ['-I', '-c', program, ...packages], { signal, failure });
  if (code !== 0) throw failure(`${path} cannot tell its packages: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  return v.parse(answer, JSON.parse(stdout));
}
