export function compareTranscript() { throw new Error('todo'); }
