import { type Failure, invalidInput, refused } from '../../platform/failures.ts';

export function secondFactorWrong(): Failure {
  return invalidInput({ code: ['The code is wrong, or was used before.'] }, 'second-factor-wrong');
}

export function notEnabled(): Failure {
  return refused('second-factor-not-enabled', 'The second factor is not switched on.');
}
