import { describe, expect, it } from 'vitest';

import { placeLogTicks, placeTicks } from './place-ticks.js';

const apartBy = (least: number) => (_: readonly string[], apart: number) => apart < least;

describe('ticks', () => {
  it('stand at multiples of 1, 2 or 5, and name them whole', () => {
    expect(placeTicks({ low: 0, high: 300_000, crowds: apartBy(0.15) })).toEqual({
      values: [0, 50_000, 100_000, 150_000, 200_000, 250_000, 300_000],
      labels: ['0', '50,000', '100,000', '150,000', '200,000', '250,000', '300,000'],
    });
    expect(placeTicks({ low: 0.1, high: 0.3, crowds: apartBy(0.2) })).toEqual({
      values: [0.1, 0.15, 0.2, 0.25, 0.3],
      labels: ['0.10', '0.15', '0.20', '0.25', '0.30'],
    });
    expect(placeTicks({ low: -3, high: 3, crowds: apartBy(0.3) }).labels).toEqual(['−2', '0', '2']);
    expect(placeTicks({ low: 0, high: 4e-8, crowds: apartBy(0.4) }).labels).toEqual(['0', '2e−8', '4e−8']);
    expect(placeTicks({ low: 0, high: 3e12, crowds: apartBy(0.4) }).labels).toEqual(['0', '2e12']);
  });

  // Goes red when sums of steps replace multiples: 3 x 0.1 is 0.30000000000000004.
  it('are the numbers they are called', () => {
    const { values, labels } = placeTicks({ low: 0, high: 0.7, crowds: apartBy(0.14) });
    expect(values).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    expect(labels.map(Number)).toEqual(values);
  });

  it('have no places between whole numbers where there are none', () => {
    const { values } = placeTicks({ low: 0, high: 3, crowds: apartBy(0.1), least: 1 });
    expect(values).toEqual([0, 1, 2, 3]);
  });

  it('give way where labels have no room', () => {
    const crowds = (labels: readonly string[], apart: number) =>
      apart * 40 < Math.max(...labels.map((one) => one.length)) + 1;
    // Seven characters and a space of forty: five labels at most.
    expect(placeTicks({ low: 0, high: 1_000_000, crowds }).labels).toEqual(['0', '500,000', '1,000,000']);
  });

  it('stand at 1, 2 and 5 times powers of ten on a logarithmic axis, and at powers alone where these are many', () => {
    expect(placeLogTicks({ low: 0.5, high: 20, crowds: apartBy(0.1) })).toEqual({
      values: [0.5, 1, 2, 5, 10, 20],
      labels: ['0.5', '1', '2', '5', '10', '20'],
    });
    expect(placeLogTicks({ low: 0.01, high: 100, crowds: apartBy(0.2) }).labels).toEqual(['0.01', '0.1', '1', '10', '100']); // prettier-ignore
    expect(placeLogTicks({ low: 1e-8, high: 1, crowds: apartBy(0.2) }).labels).toEqual(['1e−8', '1e−6', '0.0001', '0.01', '1']); // prettier-ignore
  });
});
