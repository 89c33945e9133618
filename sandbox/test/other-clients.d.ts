declare module 'bigbluebutton-js' {
  interface Api {
    administration: {
      create(name: string, id: string, parameters?: object): string;
      join(fullName: string, meetingId: string, password: string, parameters?: object): string;
      end(meetingId: string, password: string): string;
    };
    monitoring: {
      getMeetingInfo(meetingId: string): string;
      isMeetingRunning(meetingId: string): string;
      getMeetings(): string;
    };
    recording: { getRecordings(parameters?: object): string };
  }
  const client: {
    api(host: string, secret: string): Api;
    http(url: string): Promise<unknown>;
  };
  export default client;
}

declare module 'bbb-promise' {
  interface Server {
    administration: {
      create(name: string, id: string, parameters?: object): Promise<unknown>;
      join(fullName: string, meetingId: string, password: string, parameters: object): string;
      end(meetingId: string, password: string): Promise<unknown>;
    };
    monitoring: {
      getMeetingInfo(meetingId: string): Promise<unknown>;
      isMeetingRunning(meetingId: string): Promise<unknown>;
      getMeetings(): Promise<unknown>;
    };
    recording: { getRecordings(parameters?: object): Promise<unknown> };
  }
  const client: { server(host: string, secret: string): Server };
  export default client;
}
