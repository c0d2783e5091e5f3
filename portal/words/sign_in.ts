/** Words of the sign-in page. */
export const signIn = {
  title: "Sign in",
  email: "Email",
  password: "Password",
  submit: "Sign in",
  forgotten: "Forgot it? An admin of your account can send you a link to set a new one.",
  pending: "Signing in…",
};
