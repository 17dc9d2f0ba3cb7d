/** The npm arguments that install the host. test/templates/ compares them with the page on getting started. */
export const INSTALL_HOST: readonly string[] = ['install', '--global', '@agentgym/cli'];
