// The time that episodes of known durations need on a number of seats, if nothing else takes time.

/** The end of a list schedule: the next episode of the list takes the first free seat. */
export function listSchedule(durations, seats) {
  const busyUntil = new Array(Math.min(seats, durations.length)).fill(0);
  for (const duration of durations) {
    const first = busyUntil.indexOf(Math.min(...busyUntil));
    busyUntil[first] += duration;
  }
  return Math.max(...busyUntil);
}

/**
 * The longest episodes first: at most a third above the best possible schedule (Graham 1969). This needs known
 * durations.
 */
export function bestSchedule(durations, seats) {
  return listSchedule(
    [...durations].sort((a, b) => b - a),
    seats,
  );
}

/** A lower bound of all schedules. */
export function leastTime(durations, seats) {
  const sum = durations.reduce((total, duration) => total + duration, 0);
  return Math.max(sum / seats, ...durations);
}
