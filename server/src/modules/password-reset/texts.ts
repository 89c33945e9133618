import type { Language } from '../../platform/text/language.ts';
import type { MailContents } from '../mail/index.ts';

/** What is said about choosing a new password, in one language. */
export interface ResetTexts {
  readonly title: string;
  readonly lead: (platform: string) => string;
  readonly label: string;
  readonly submit: string;
  readonly doneTitle: string;
  readonly done: string;
  readonly deadTitle: string;
  readonly dead: string;
  readonly mail: (platform: string, email: string, url: string) => MailContents;
}

export function textsIn(language: Language): ResetTexts {
  return texts[language];
}

const texts: Readonly<Record<Language, ResetTexts>> = {
  en: {
    title: 'Choose a new password',
    lead: (platform) => `For your account at ${platform}. You will be signed out everywhere.`,
    label: 'New password',
    submit: 'Save the password',
    doneTitle: 'Your password is changed',
    done: 'You have been signed out everywhere. Sign in with the new password from now on.',
    deadTitle: 'This link is not valid any more',
    dead: 'A link works once and for one hour, and ends when a newer one is made. Ask for a new one where you sign in.',
    mail: (platform, email, url) => ({
      subject: `Choose a new password for ${platform}`,
      heading: 'Choose a new password',
      paragraphs: [`Someone, probably you, asked for a new password for ${email} at ${platform}.`],
      action: { label: 'Choose a new password', url },
      notes: [
        'The link works once, within the next hour.',
        'If it was not you, do nothing: your password stays as it is.',
      ],
    }),
  },
  pt: {
    title: 'Escolha uma nova palavra-passe',
    lead: (platform) => `Para a sua conta em ${platform}. A sessão será terminada em todos os dispositivos.`,
    label: 'Nova palavra-passe',
    submit: 'Guardar a palavra-passe',
    doneTitle: 'A sua palavra-passe foi alterada',
    done: 'A sessão foi terminada em todos os dispositivos. A partir de agora, use a nova palavra-passe para iniciar sessão.',
    deadTitle: 'Esta ligação já não é válida',
    dead: 'Uma ligação funciona uma só vez, durante uma hora, e deixa de ser válida quando é criada outra. Peça uma nova onde costuma iniciar sessão.',
    mail: (platform, email, url) => ({
      subject: `Escolha uma nova palavra-passe para ${platform}`,
      heading: 'Escolha uma nova palavra-passe',
      paragraphs: [`Recebemos um pedido de nova palavra-passe para ${email} em ${platform}.`],
      action: { label: 'Escolher uma nova palavra-passe', url },
      notes: [
        'A ligação funciona uma só vez, durante a próxima hora.',
        'Se não fez este pedido, ignore esta mensagem: a sua palavra-passe continua a mesma.',
      ],
    }),
  },
  'pt-BR': {
    title: 'Escolha uma nova senha',
    lead: (platform) => `Para a sua conta em ${platform}. Sua sessão será encerrada em todos os dispositivos.`,
    label: 'Nova senha',
    submit: 'Salvar a senha',
    doneTitle: 'Sua senha foi alterada',
    done: 'Sua sessão foi encerrada em todos os dispositivos. A partir de agora, entre com a nova senha.',
    deadTitle: 'Este link não é mais válido',
    dead: 'Um link funciona uma só vez, por uma hora, e deixa de valer quando outro é criado. Peça um novo onde você costuma entrar.',
    mail: (platform, email, url) => ({
      subject: `Escolha uma nova senha para ${platform}`,
      heading: 'Escolha uma nova senha',
      paragraphs: [`Alguém, provavelmente você, pediu uma nova senha para ${email} em ${platform}.`],
      action: { label: 'Escolher uma nova senha', url },
      notes: [
        'O link funciona uma só vez, na próxima hora.',
        'Se não foi você, não faça nada: sua senha continua a mesma.',
      ],
    }),
  },
  de: {
    title: 'Neues Passwort wählen',
    lead: (platform) => `Für Ihr Konto bei ${platform}. Sie werden überall abgemeldet.`,
    label: 'Neues Passwort',
    submit: 'Passwort speichern',
    doneTitle: 'Ihr Passwort ist geändert',
    done: 'Sie sind überall abgemeldet. Melden Sie sich von jetzt an mit dem neuen Passwort an.',
    deadTitle: 'Dieser Link gilt nicht mehr',
    dead: 'Ein Link funktioniert einmal und eine Stunde lang; gibt es einen neueren, gilt nur dieser. Fordern Sie dort einen neuen an, wo Sie sich anmelden.',
    mail: (platform, email, url) => ({
      subject: `Neues Passwort für ${platform}`,
      heading: 'Neues Passwort wählen',
      paragraphs: [`Jemand, vermutlich Sie, hat für ${email} bei ${platform} ein neues Passwort angefordert.`],
      action: { label: 'Neues Passwort wählen', url },
      notes: [
        'Der Link funktioniert einmal, innerhalb der nächsten Stunde.',
        'Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Ihr Passwort bleibt, wie es ist.',
      ],
    }),
  },
  es: {
    title: 'Elija una contraseña nueva',
    lead: (platform) => `Para su cuenta en ${platform}. Se cerrará la sesión en todos los dispositivos.`,
    label: 'Contraseña nueva',
    submit: 'Guardar la contraseña',
    doneTitle: 'Su contraseña ha cambiado',
    done: 'Se ha cerrado la sesión en todos los dispositivos. A partir de ahora, inicie sesión con la contraseña nueva.',
    deadTitle: 'Este enlace ya no es válido',
    dead: 'Un enlace funciona una sola vez, durante una hora, y deja de ser válido cuando se crea otro. Pida uno nuevo donde inicia sesión.',
    mail: (platform, email, url) => ({
      subject: `Elija una contraseña nueva para ${platform}`,
      heading: 'Elija una contraseña nueva',
      paragraphs: [`Alguien, probablemente usted, ha pedido una contraseña nueva para ${email} en ${platform}.`],
      action: { label: 'Elegir una contraseña nueva', url },
      notes: [
        'El enlace funciona una sola vez, durante la próxima hora.',
        'Si no ha sido usted, no haga nada: su contraseña sigue igual.',
      ],
    }),
  },
  fr: {
    title: 'Choisissez un nouveau mot de passe',
    lead: (platform) => `Pour votre compte sur ${platform}. Vous serez déconnecté de tous vos appareils.`,
    label: 'Nouveau mot de passe',
    submit: 'Enregistrer le mot de passe',
    doneTitle: 'Votre mot de passe a été modifié',
    done: 'Vous êtes déconnecté de tous vos appareils. Connectez-vous désormais avec le nouveau mot de passe.',
    deadTitle: 'Ce lien n’est plus valable',
    dead: 'Un lien fonctionne une seule fois, pendant une heure, et n’est plus valable dès qu’il y en a un plus récent. Demandez-en un autre là où vous vous connectez.',
    mail: (platform, email, url) => ({
      subject: `Choisissez un nouveau mot de passe pour ${platform}`,
      heading: 'Choisissez un nouveau mot de passe',
      paragraphs: [`Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour ${email} sur ${platform}.`],
      action: { label: 'Choisir un nouveau mot de passe', url },
      notes: [
        'Le lien fonctionne une seule fois, dans l’heure qui vient.',
        'Si ce n’était pas vous, ne faites rien : votre mot de passe reste le même.',
      ],
    }),
  },
};
