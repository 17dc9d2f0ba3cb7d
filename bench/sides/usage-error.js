/** A measurement cannot be done as it was asked for. */
export class UsageError extends Error {}
