/** `room_token.created` reads as "Room token created". */
export function actionPhrase(action: string): string {
  const [subject = '', ...rest] = action.split('.');
  const name = subjects[subject] ?? subject.replaceAll('_', ' ');
  const phrase = [name, ...rest.map((part) => part.replaceAll('_', ' '))].join(' ');
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

const subjects: Readonly<Record<string, string>> = {
  admin: 'administrator',
  oauth_client: 'OAuth client',
  oauth_token: 'OAuth token',
};
