import { spawn } from 'node:child_process';

/** The program that opens an address on each system. The address is passed as one argument, never to a shell. */
const openers: { readonly [platform: string]: readonly string[] } = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the user's browser without waiting; prints the address if that fails. */
export function openAddress(url: string, tell: (problem: string) => void): void {
  const [program = '', ...first] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...first, url], { stdio: 'ignore', detached: true });
  child.on('error', () => tell(`${program} is not installed, so no browser opens. Open the address yourself.`));
  child.on('exit', (code) => {
    if (code !== 0 && code !== null) tell(`${program} could not open a browser. Open the address yourself.`);
  });
  child.unref();
}
