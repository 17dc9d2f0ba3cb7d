import type { Environment, World } from '../../contracts/environment.js';
import type { Sandbox } from '../../contracts/sandbox.js';
import { openSandbox } from '../../sandbox/open-sandbox.js';

/** The world with a sandbox for each of its episodes, like the host, if it asks for one. An instance closes its last one. */
export function giveSandbox(world: World): World {
  const { sandbox: needs } = world;
  if (needs === undefined) return world;
  const create: World['create'] = async (call): Promise<Environment> => {
    const environment = await world.create(call);
    let sandbox: Sandbox | undefined;
    const reset: Environment['reset'] = async (task, begin) => {
      await sandbox?.close();
      sandbox = await openSandbox(needs, new AbortController().signal);
      return environment.reset(task, Object.assign(begin, { sandbox }));
    };
    const dispose = async () => {
      await environment.dispose?.();
      await sandbox?.close();
    };
    return new Proxy(environment, {
      get(target, name) {
        if (name === 'reset') return reset;
        if (name === 'dispose') return dispose;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
      },
    });
  };
  return new Proxy(world, {
    get: (target, name) => (name === 'create' ? create : (Reflect.get(target, name, target) as unknown)),
  });
}
