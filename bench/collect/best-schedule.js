// How long episodes of known durations take on so many seats, if nothing else costs time.

/** The finish of a list schedule: whoever is next in the list takes the first seat that is free. */
export function listSchedule(durations, seats) {
  const busyUntil = new Array(Math.min(seats, durations.length)).fill(0);
  for (const duration of durations) {
    const first = busyUntil.indexOf(Math.min(...busyUntil));
    busyUntil[first] += duration;
  }
  return Math.max(...busyUntil);
}

/**
 * The longest first: at most a third above the best schedule that there is (Graham 1969), which only who knows the
 * durations can follow.
 */
export function bestSchedule(durations, seats) {
  return listSchedule(
    [...durations].sort((a, b) => b - a),
    seats,
  );
}

/** No schedule is shorter. */
export function leastTime(durations, seats) {
  const sum = durations.reduce((total, duration) => total + duration, 0);
  return Math.max(sum / seats, ...durations);
}
