/**
 * What npm is told to install the host, as the page on getting started has it: test/templates/ holds the two together.
 */
export const INSTALL_HOST: readonly string[] = ['install', '--global', '@agentgym/cli'];
