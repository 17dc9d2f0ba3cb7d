export const options = {
  clip: { type: 'number', minimum: 0, exclusiveMinimum: true, default: 0.2, description: 'Bound of the ratio' },
};
