import { type Language, languageOf } from '../text/language.ts';
import { acceptedLocales } from '../time/relative-time.ts';

/** Texts of pages with forms, in one language. */
export interface PageWords {
  readonly language: Language;
  readonly help: string;
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
  readonly passwordHint: string;
  readonly passwordMissing: string;
  readonly passwordTooShort: string;
  readonly passwordTooLong: string;
  readonly passwordTooCommon: string;
  readonly tooManyRequests: string;
  readonly busy: string;
  readonly brokenTitle: string;
  readonly broken: string;
  readonly requestId: (id: string) => string;
  /** For unknown addresses. */
  readonly missingTitle: string;
  readonly missing: string;
  readonly toSignIn: string;
}

/** The texts in the reader's language, else the platform's, else English. */
export function wordsFor(acceptLanguage: string | undefined, systemLocale: string): PageWords {
  return words[languageOf(...acceptedLocales(acceptLanguage), systemLocale)];
}

const words: Readonly<Record<Language, PageWords>> = {
  en: {
    language: 'en',
    help: 'Help',
    email: 'Email',
    password: 'Your password',
    newPassword: 'Choose a password',
    passwordHint: 'At least 12 characters. A few words in a row are easy to remember and hard to guess.',
    passwordMissing: 'Enter a password.',
    passwordTooShort: 'This password is too short. Use at least 12 characters.',
    passwordTooLong: 'This password is too long. Use at most 128 characters.',
    passwordTooCommon: 'Many people use this password, so it is easy to guess. Please choose another.',
    tooManyRequests: 'That was too often in a short time. Wait a few minutes, then try again.',
    busy: 'Too much is going on at once. Please try again in a moment.',
    brokenTitle: 'Something is broken on our side',
    broken: 'Please try again in a moment.',
    requestId: (id) => `Reference for support: ${id}`,
    missingTitle: 'This page does not exist',
    missing: 'Check the address. If someone sent you this link, open it again or ask for a new one.',
    toSignIn: 'Sign in',
  },
  pt: {
    language: 'pt',
    help: 'Ajuda',
    email: 'E-mail',
    password: 'A sua palavra-passe',
    newPassword: 'Escolha uma palavra-passe',
    passwordHint: 'Pelo menos 12 caracteres. Algumas palavras seguidas são fáceis de lembrar e difíceis de adivinhar.',
    passwordMissing: 'Introduza uma palavra-passe.',
    passwordTooShort: 'Esta palavra-passe é demasiado curta. Use pelo menos 12 caracteres.',
    passwordTooLong: 'Esta palavra-passe é demasiado longa. Use no máximo 128 caracteres.',
    passwordTooCommon: 'Muitas pessoas usam esta palavra-passe, por isso é fácil de adivinhar. Escolha outra.',
    tooManyRequests: 'Demasiadas tentativas em pouco tempo. Aguarde alguns minutos e tente novamente.',
    busy: 'Há demasiados pedidos ao mesmo tempo. Tente novamente daqui a pouco.',
    brokenTitle: 'Algo falhou do nosso lado',
    broken: 'Tente novamente daqui a pouco.',
    requestId: (id) => `Referência para o suporte: ${id}`,
    missingTitle: 'Esta página não existe',
    missing: 'Verifique o endereço. Se alguém lhe enviou esta ligação, abra-a de novo ou peça uma nova.',
    toSignIn: 'Iniciar sessão',
  },
  'pt-BR': {
    language: 'pt-BR',
    help: 'Ajuda',
    email: 'E-mail',
    password: 'Sua senha',
    newPassword: 'Escolha uma senha',
    passwordHint: 'Pelo menos 12 caracteres. Algumas palavras seguidas são fáceis de lembrar e difíceis de adivinhar.',
    passwordMissing: 'Digite uma senha.',
    passwordTooShort: 'Esta senha é curta demais. Use pelo menos 12 caracteres.',
    passwordTooLong: 'Esta senha é longa demais. Use no máximo 128 caracteres.',
    passwordTooCommon: 'Muitas pessoas usam esta senha, por isso é fácil de adivinhar. Escolha outra.',
    tooManyRequests: 'Foram tentativas demais em pouco tempo. Espere alguns minutos e tente de novo.',
    busy: 'Há pedidos demais ao mesmo tempo. Tente de novo daqui a pouco.',
    brokenTitle: 'Algo falhou do nosso lado',
    broken: 'Tente de novo daqui a pouco.',
    requestId: (id) => `Referência para o suporte: ${id}`,
    missingTitle: 'Esta página não existe',
    missing: 'Confira o endereço. Se alguém enviou este link a você, abra-o de novo ou peça um novo.',
    toSignIn: 'Entrar',
  },
  de: {
    language: 'de',
    help: 'Hilfe',
    email: 'E-Mail',
    password: 'Ihr Passwort',
    newPassword: 'Passwort wählen',
    passwordHint: 'Mindestens 12 Zeichen. Einige Wörter hintereinander merkt man sich leicht und errät sie schwer.',
    passwordMissing: 'Geben Sie ein Passwort ein.',
    passwordTooShort: 'Dieses Passwort ist zu kurz. Verwenden Sie mindestens 12 Zeichen.',
    passwordTooLong: 'Dieses Passwort ist zu lang. Verwenden Sie höchstens 128 Zeichen.',
    passwordTooCommon:
      'Viele Menschen verwenden dieses Passwort, deshalb ist es leicht zu erraten. Bitte wählen Sie ein anderes.',
    tooManyRequests:
      'Das waren zu viele Versuche in kurzer Zeit. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
    busy: 'Gerade kommen zu viele Anfragen auf einmal. Bitte versuchen Sie es gleich noch einmal.',
    brokenTitle: 'Bei uns ist etwas schiefgegangen',
    broken: 'Bitte versuchen Sie es gleich noch einmal.',
    requestId: (id) => `Referenz für den Support: ${id}`,
    missingTitle: 'Diese Seite gibt es nicht',
    missing:
      'Prüfen Sie die Adresse. Wenn Ihnen jemand diesen Link geschickt hat, öffnen Sie ihn noch einmal oder bitten Sie um einen neuen.',
    toSignIn: 'Anmelden',
  },
  es: {
    language: 'es',
    help: 'Ayuda',
    email: 'Correo electrónico',
    password: 'Su contraseña',
    newPassword: 'Elija una contraseña',
    passwordHint: 'Al menos 12 caracteres. Unas palabras seguidas son fáciles de recordar y difíciles de adivinar.',
    passwordMissing: 'Escriba una contraseña.',
    passwordTooShort: 'Esta contraseña es demasiado corta. Use al menos 12 caracteres.',
    passwordTooLong: 'Esta contraseña es demasiado larga. Use 128 caracteres como máximo.',
    passwordTooCommon: 'Mucha gente usa esta contraseña, por lo que es fácil de adivinar. Elija otra.',
    tooManyRequests: 'Han sido demasiados intentos en poco tiempo. Espere unos minutos e inténtelo de nuevo.',
    busy: 'Hay demasiadas solicitudes a la vez. Inténtelo de nuevo en un momento.',
    brokenTitle: 'Algo ha fallado por nuestra parte',
    broken: 'Inténtelo de nuevo en un momento.',
    requestId: (id) => `Referencia para el soporte: ${id}`,
    missingTitle: 'Esta página no existe',
    missing: 'Compruebe la dirección. Si alguien le envió este enlace, ábralo de nuevo o pida uno nuevo.',
    toSignIn: 'Iniciar sesión',
  },
  fr: {
    language: 'fr',
    help: 'Aide',
    email: 'E-mail',
    password: 'Votre mot de passe',
    newPassword: 'Choisissez un mot de passe',
    passwordHint: 'Au moins 12 caractères. Quelques mots à la suite sont faciles à retenir et difficiles à deviner.',
    passwordMissing: 'Saisissez un mot de passe.',
    passwordTooShort: 'Ce mot de passe est trop court. Utilisez au moins 12 caractères.',
    passwordTooLong: 'Ce mot de passe est trop long. Utilisez 128 caractères au plus.',
    passwordTooCommon:
      'Beaucoup de personnes utilisent ce mot de passe : il est facile à deviner. Choisissez-en un autre.',
    tooManyRequests: 'Trop de tentatives en peu de temps. Attendez quelques minutes, puis réessayez.',
    busy: 'Il y a trop de demandes à la fois. Réessayez dans un instant.',
    brokenTitle: 'Un problème est survenu de notre côté',
    broken: 'Réessayez dans un instant.',
    requestId: (id) => `Référence pour l’assistance : ${id}`,
    missingTitle: 'Cette page n’existe pas',
    missing: 'Vérifiez l’adresse. Si quelqu’un vous a envoyé ce lien, ouvrez-le de nouveau ou demandez-en un autre.',
    toSignIn: 'Se connecter',
  },
};

/** Why a new password is not accepted, in the reader's language; null when it is. */
export function passwordFault(texts: PageWords, password: string, isRefused: boolean): string | null {
  const length = [...password].length;
  if (length === 0) return texts.passwordMissing;
  if (length < 12) return texts.passwordTooShort;
  if (length > 128) return texts.passwordTooLong;
  return isRefused ? texts.passwordTooCommon : null;
}
