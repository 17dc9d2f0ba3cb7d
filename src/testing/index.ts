/** The public door `@agentgym/cli/testing`: what plugin authors test with. */
export { testHost } from './test-host.js';
