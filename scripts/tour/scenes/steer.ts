/** A prompt that is sent while another one is being worked on. */
import { prompts } from "../sample.ts"
import type { Stage } from "../stage.ts"

export async function showSteer(stage: Stage): Promise<void> {
  const { screen, follower } = stage
  screen.title("A second thought, while it works")
  const running = follower.next("call.started")
  await stage.ask(prompts.plan)
  await running
  screen.line()
  await stage.ask(prompts.steer)
  screen.notice("On disk at once; the model hears it when the command has ended.")
  await stage.finish()
}
