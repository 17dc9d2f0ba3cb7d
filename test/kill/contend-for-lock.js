// node test/kill/contend-for-lock.js FOLDER: prints `ready`. After a line on standard input it takes the lock of a
// run's folder, prints the result, and holds the lock until it is killed.
import { acquireRunLock } from '../../dist/runs/run-lock.js';

process.stdin.once('data', () => {
  try {
    acquireRunLock(process.argv[2]);
    process.stdout.write('won');
  } catch (error) {
    process.stdout.write(String(error.code));
  }
});
process.stdout.write('ready');
