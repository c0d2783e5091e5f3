/** Words of the pages for everybody. */
export const survey = {
  email: "Your email",
  emailHint: "Each person answers once. Leave it empty if you are signed in here.",
  send: "Send",
  thanks: "Thank you. Your answers are stored.",
  closed: "This survey is closed.",
  scale: (max: number) => `1 to ${max}`,
};
