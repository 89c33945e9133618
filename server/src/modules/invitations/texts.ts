import type { Language } from '../../platform/text/language.ts';
import type { MailContents } from '../mail/index.ts';
import type { Target } from './store.ts';

type Named = Pick<Target, 'level' | 'name' | 'customerName'>;

/** What is said about an invitation, in one language. */
export interface InvitationTexts {
  readonly state: string;
  /** Before the name of what somebody is invited to; where that is the customer itself, it is not named twice. */
  readonly invitesYou: (target: Named) => string;
  readonly title: (target: Named) => string;
  readonly leadNew: (email: string, platform: string) => string;
  readonly leadSignIn: (email: string, platform: string) => string;
  readonly firstName: string;
  readonly lastName: string;
  readonly nameMissing: string;
  readonly passwordWrong: string;
  readonly submit: string;
  readonly doneTitle: (name: string) => string;
  readonly done: (target: Named) => string;
  readonly toRoom: string;
  readonly rooms: string;
  /** Where there is no room to open yet. */
  readonly next: (customer: string, email: string) => string;
  readonly deadTitle: string;
  readonly dead: string;
  readonly closedTitle: string;
  readonly closed: (customer: string) => string;
  readonly memberTitle: string;
  readonly member: (target: Named) => string;
  readonly mail: (target: Named, platform: string, url: string) => MailContents;
}

export function textsIn(language: Language): InvitationTexts {
  return texts[language];
}

const texts: Readonly<Record<Language, InvitationTexts>> = {
  en: {
    state: 'Invitation',
    invitesYou: ({ level, customerName }) =>
      level === 'customer' ? 'You are invited to' : `${customerName} invites you to`,
    title: ({ name }) => name,
    leadNew: (email, platform) => `Make your account at ${platform}. You sign in with ${email}.`,
    leadSignIn: (email, platform) =>
      `You have an account at ${platform} with ${email}. Its password accepts the invitation.`,
    firstName: 'First name',
    lastName: 'Last name',
    nameMissing: 'Enter your name, so that the others know who you are.',
    passwordWrong: 'This password is wrong. Check it and try again.',
    submit: 'Accept the invitation',
    doneTitle: (name) => `Welcome, ${name}`,
    done: ({ name }) => `You belong to ${name} now.`,
    toRoom: 'Go to the room',
    rooms: 'Your rooms',
    next: (customer, email) =>
      `There is no room to open yet. ${customer} sends you the link of a meeting: open it and sign in with ${email}.`,
    deadTitle: 'This invitation is not valid any more',
    dead: 'It may have been accepted already, withdrawn or sent again, or it is older than seven days. Ask the person who invited you for a new one.',
    closedTitle: 'You cannot join at the moment',
    closed: (customer) => `${customer} does not accept new people at the moment. Ask the person who invited you.`,
    memberTitle: 'You are in already',
    member: ({ name }) => `You belong to ${name} already.`,
    mail: ({ name, customerName, level }, platform, url) => ({
      subject: `${customerName} invites you to ${platform}`,
      heading: `You are invited to ${name}`,
      paragraphs: [
        level === 'customer'
          ? `${customerName} invites you to its meetings at ${platform}.`
          : `${customerName} invites you to ${name}, for meetings at ${platform}.`,
      ],
      action: { label: 'Accept the invitation', url },
      notes: ['The invitation is good for seven days.', 'If you did not expect it, you can leave this mail as it is.'],
    }),
  },
  pt: {
    state: 'Convite',
    invitesYou: ({ level, customerName }) => (level === 'customer' ? 'Convite para' : `${customerName} convida para`),
    title: ({ name }) => name,
    leadNew: (email, platform) => `Crie a sua conta em ${platform}. Vai iniciar sessão com ${email}.`,
    leadSignIn: (email, platform) =>
      `Já tem uma conta em ${platform} com ${email}. Aceite o convite com a palavra-passe dessa conta.`,
    firstName: 'Nome',
    lastName: 'Apelido',
    nameMissing: 'Indique o seu nome, para que os outros saibam quem é.',
    passwordWrong: 'Esta palavra-passe está incorreta. Verifique-a e tente novamente.',
    submit: 'Aceitar o convite',
    doneTitle: (name) => `Boas-vindas, ${name}`,
    done: ({ name }) => `Agora faz parte de ${name}.`,
    toRoom: 'Ir para a sala',
    rooms: 'As suas salas',
    next: (customer, email) =>
      `Ainda não há nenhuma sala para abrir. ${customer} envia-lhe a ligação de uma reunião: abra-a e inicie sessão com ${email}.`,
    deadTitle: 'Este convite já não é válido',
    dead: 'Pode já ter sido aceite, retirado ou enviado novamente, ou ter mais de sete dias. Peça um novo a quem fez o convite.',
    closedTitle: 'De momento não entra ninguém',
    closed: (customer) => `${customer} não aceita novas pessoas de momento. Fale com quem fez o convite.`,
    memberTitle: 'Já faz parte',
    member: ({ name }) => `Já faz parte de ${name}.`,
    mail: ({ name, customerName, level }, platform, url) => ({
      subject: `${customerName} convida para ${platform}`,
      heading: `Convite para ${name}`,
      paragraphs: [
        level === 'customer'
          ? `${customerName} convida para as suas reuniões em ${platform}.`
          : `${customerName} convida para ${name}, com reuniões em ${platform}.`,
      ],
      action: { label: 'Aceitar o convite', url },
      notes: ['O convite é válido por sete dias.', 'Se não o esperava, pode ignorar esta mensagem.'],
    }),
  },
  'pt-BR': {
    state: 'Convite',
    invitesYou: ({ level, customerName }) =>
      level === 'customer' ? 'Convite para' : `${customerName} convida você para`,
    title: ({ name }) => name,
    leadNew: (email, platform) => `Crie a sua conta em ${platform}. Você entra com ${email}.`,
    leadSignIn: (email, platform) =>
      `Você tem uma conta em ${platform} com ${email}. Aceite o convite com a senha dessa conta.`,
    firstName: 'Nome',
    lastName: 'Sobrenome',
    nameMissing: 'Escreva o seu nome, para que os outros saibam quem você é.',
    passwordWrong: 'Esta senha está errada. Confira e tente de novo.',
    submit: 'Aceitar o convite',
    doneTitle: (name) => `Boas-vindas, ${name}`,
    done: ({ name }) => `Agora você faz parte de ${name}.`,
    toRoom: 'Ir para a sala',
    rooms: 'Suas salas',
    next: (customer, email) =>
      `Ainda não há nenhuma sala para abrir. ${customer} envia a você o link de uma reunião: abra o link e entre com ${email}.`,
    deadTitle: 'Este convite não é mais válido',
    dead: 'Ele já pode ter sido aceito, retirado ou enviado de novo, ou tem mais de sete dias. Peça um novo a quem convidou você.',
    closedTitle: 'No momento não entra ninguém',
    closed: (customer) => `${customer} não aceita ninguém novo no momento. Fale com quem convidou você.`,
    memberTitle: 'Você já faz parte',
    member: ({ name }) => `Você já faz parte de ${name}.`,
    mail: ({ name, customerName, level }, platform, url) => ({
      subject: `${customerName} convida você para ${platform}`,
      heading: `Convite para ${name}`,
      paragraphs: [
        level === 'customer'
          ? `${customerName} convida você para as suas reuniões em ${platform}.`
          : `${customerName} convida você para ${name}, com reuniões em ${platform}.`,
      ],
      action: { label: 'Aceitar o convite', url },
      notes: ['O convite é válido por sete dias.', 'Se você não o esperava, pode ignorar esta mensagem.'],
    }),
  },
  de: {
    state: 'Einladung',
    invitesYou: ({ level, customerName }) =>
      level === 'customer' ? 'Einladung zu' : `${customerName} lädt Sie ein zu`,
    title: ({ name }) => name,
    leadNew: (email, platform) => `Legen Sie Ihr Konto bei ${platform} an. Sie melden sich mit ${email} an.`,
    leadSignIn: (email, platform) =>
      `Sie haben bei ${platform} ein Konto mit ${email}. Mit dessen Passwort nehmen Sie die Einladung an.`,
    firstName: 'Vorname',
    lastName: 'Nachname',
    nameMissing: 'Geben Sie Ihren Namen ein, damit die anderen wissen, wer Sie sind.',
    passwordWrong: 'Dieses Passwort ist falsch. Prüfen Sie es und versuchen Sie es noch einmal.',
    submit: 'Einladung annehmen',
    doneTitle: (name) => `Willkommen, ${name}`,
    done: ({ name }) => `Sie gehören jetzt zu ${name}.`,
    toRoom: 'Zum Raum',
    rooms: 'Ihre Räume',
    next: (customer, email) =>
      `Noch gibt es keinen Raum zu öffnen. ${customer} schickt Ihnen den Link zu einer Besprechung: Öffnen Sie ihn und melden Sie sich mit ${email} an.`,
    deadTitle: 'Diese Einladung gilt nicht mehr',
    dead: 'Vielleicht wurde sie schon angenommen, zurückgezogen oder neu verschickt, oder sie ist älter als sieben Tage. Bitten Sie um eine neue.',
    closedTitle: 'Zurzeit wird niemand aufgenommen',
    closed: (customer) =>
      `${customer} nimmt zurzeit niemanden auf. Wenden Sie sich an die Person, die Sie eingeladen hat.`,
    memberTitle: 'Sie gehören schon dazu',
    member: ({ name }) => `Sie gehören schon zu ${name}.`,
    mail: ({ name, customerName, level }, platform, url) => ({
      subject: `${customerName} lädt Sie zu ${platform} ein`,
      heading: `Einladung zu ${name}`,
      paragraphs: [
        level === 'customer'
          ? `${customerName} lädt Sie zu Besprechungen bei ${platform} ein.`
          : `${customerName} lädt Sie zu ${name} ein, für Besprechungen bei ${platform}.`,
      ],
      action: { label: 'Einladung annehmen', url },
      notes: [
        'Die Einladung gilt sieben Tage.',
        'Wenn Sie sie nicht erwartet haben, können Sie diese Mail einfach ignorieren.',
      ],
    }),
  },
  es: {
    state: 'Invitación',
    invitesYou: ({ level, customerName }) => (level === 'customer' ? 'Invitación a' : `${customerName} le invita a`),
    title: ({ name }) => name,
    leadNew: (email, platform) => `Cree su cuenta en ${platform}. Iniciará sesión con ${email}.`,
    leadSignIn: (email, platform) =>
      `Tiene una cuenta en ${platform} con ${email}. Acepte la invitación con la contraseña de esa cuenta.`,
    firstName: 'Nombre',
    lastName: 'Apellidos',
    nameMissing: 'Escriba su nombre, para que los demás sepan quién es.',
    passwordWrong: 'Esta contraseña es incorrecta. Compruébela e inténtelo de nuevo.',
    submit: 'Aceptar la invitación',
    doneTitle: (name) => `Le damos la bienvenida, ${name}`,
    done: ({ name }) => `Ahora forma parte de ${name}.`,
    toRoom: 'Ir a la sala',
    rooms: 'Sus salas',
    next: (customer, email) =>
      `Todavía no hay ninguna sala que abrir. ${customer} le enviará el enlace de una reunión: ábralo e inicie sesión con ${email}.`,
    deadTitle: 'Esta invitación ya no es válida',
    dead: 'Puede que ya se haya aceptado, retirado o enviado de nuevo, o que tenga más de siete días. Pida una nueva a la persona que le invitó.',
    closedTitle: 'En este momento no se admite a nadie',
    closed: (customer) => `${customer} no admite a nadie nuevo en este momento. Consulte a la persona que le invitó.`,
    memberTitle: 'Ya forma parte',
    member: ({ name }) => `Ya forma parte de ${name}.`,
    mail: ({ name, customerName, level }, platform, url) => ({
      subject: `${customerName} le invita a ${platform}`,
      heading: `Invitación a ${name}`,
      paragraphs: [
        level === 'customer'
          ? `${customerName} le invita a sus reuniones en ${platform}.`
          : `${customerName} le invita a ${name}, para reuniones en ${platform}.`,
      ],
      action: { label: 'Aceptar la invitación', url },
      notes: ['La invitación es válida durante siete días.', 'Si no la esperaba, puede ignorar este correo.'],
    }),
  },
  fr: {
    state: 'Invitation',
    invitesYou: ({ level, customerName }) =>
      level === 'customer' ? 'Invitation à rejoindre' : `${customerName} vous invite à rejoindre`,
    title: ({ name }) => name,
    leadNew: (email, platform) => `Créez votre compte sur ${platform}. Vous vous connecterez avec ${email}.`,
    leadSignIn: (email, platform) =>
      `Vous avez un compte sur ${platform} avec ${email}. Acceptez l’invitation avec le mot de passe de ce compte.`,
    firstName: 'Prénom',
    lastName: 'Nom',
    nameMissing: 'Saisissez votre nom, pour que les autres sachent qui vous êtes.',
    passwordWrong: 'Ce mot de passe est incorrect. Vérifiez-le et réessayez.',
    submit: 'Accepter l’invitation',
    doneTitle: (name) => `Bienvenue, ${name}`,
    done: ({ name }) => `Vous faites maintenant partie de ${name}.`,
    toRoom: 'Aller à la salle',
    rooms: 'Vos salles',
    next: (customer, email) =>
      `Il n’y a pas encore de salle à ouvrir. ${customer} vous enverra le lien d’une réunion : ouvrez-le et connectez-vous avec ${email}.`,
    deadTitle: 'Cette invitation n’est plus valable',
    dead: 'Elle a peut-être déjà été acceptée, retirée ou renvoyée, ou elle a plus de sept jours. Demandez-en une autre à la personne qui vous a invité.',
    closedTitle: 'Personne ne peut entrer pour le moment',
    closed: (customer) =>
      `${customer} n’accueille pas de nouveaux membres pour le moment. Adressez-vous à la personne qui vous a invité.`,
    memberTitle: 'Vous en faites déjà partie',
    member: ({ name }) => `Vous faites déjà partie de ${name}.`,
    mail: ({ name, customerName, level }, platform, url) => ({
      subject: `${customerName} vous invite sur ${platform}`,
      heading: `Invitation à rejoindre ${name}`,
      paragraphs: [
        level === 'customer'
          ? `${customerName} vous invite à ses réunions sur ${platform}.`
          : `${customerName} vous invite à rejoindre ${name}, pour des réunions sur ${platform}.`,
      ],
      action: { label: 'Accepter l’invitation', url },
      notes: ['L’invitation est valable sept jours.', 'Si vous ne l’attendiez pas, vous pouvez ignorer ce message.'],
    }),
  },
};
