/**
 * `corrected` mends what is wrong in the original, `alfworld` behaves as it in all things, `agentgym` as it behind
 * AgentGym's server.
 */
export type Compat = 'corrected' | 'alfworld' | 'agentgym';
