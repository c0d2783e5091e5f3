// The token is in the fragment, which browsers send to no server and write into no log.
const token = location.hash.slice(1);
const form = document.querySelector("#form");
const [password, repeated] = form.querySelectorAll("input");

function say(text, isProblem) {
  const message = document.querySelector("#message");
  message.setAttribute("role", isProblem ? "alert" : "status");
  message.textContent = text;
}

async function accept() {
  const response = await fetch("/api/users/invitations/accept", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, password: password.value }),
  });
  const body = await response.json().catch(() => ({
    error: `The service could not answer (${response.status}).`,
  }));
  if (!response.ok) throw new Error(body.fieldErrors?.password ?? body.error);
  form.hidden = true;
  // Neither the history nor a bookmark shall keep a link that is used up.
  history.replaceState(null, "", location.pathname);
  say(`Your password is set. You can sign in now as ${body.email}.`);
  document.querySelector("#next").hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (password.value !== repeated.value) return say("The two passwords differ.", true);
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    await accept();
  } catch (error) {
    say(error instanceof TypeError ? "The service could not be reached. Try again." : error.message, true);
  } finally {
    button.disabled = false;
  }
});

// A link that is pasted over this page's address differs in its fragment alone, for which browsers load nothing.
addEventListener("hashchange", () => location.reload());

if (token) {
  form.hidden = false;
  // Browsers leave `autofocus` alone where the address has a fragment.
  password.focus();
} else say("This link is incomplete: open it as it came, with everything after the # sign.", true);
