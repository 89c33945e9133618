import { type Failure, invalidInput, conflict } from '../../platform/failures.ts';

export function secondFactorWrong(): Failure {
  return invalidInput({ code: ['The code is wrong, or it was used before.'] }, 'second-factor-wrong');
}

export function secondFactorNotEnabled(): Failure {
  return conflict('second-factor-not-enabled', 'The second factor is not enabled.');
}
