<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Agenda</name>
    <message>
        <source>Timer: {name}</source>
        <translation>计时器：{name}</translation>
    </message>
    <message>
        <source>Timer, {length}</source>
        <translation>计时器，{length}</translation>
    </message>
    <message>
        <source>Reminder: {name}</source>
        <translation>提醒：{name}</translation>
    </message>
    <message>
        <source>Alarm: {name}</source>
        <translation>闹钟：{name}</translation>
    </message>
    <message>
        <source>Alarm, {time}</source>
        <translation>闹钟，{time}</translation>
    </message>
    <message>
        <source>Cancel: {what}</source>
        <translation>取消：{what}</translation>
    </message>
    <message>
        <source>Alarm</source>
        <translation>闹钟</translation>
    </message>
    <message>
        <source>Running timers and alarms</source>
        <translation>运行中的计时器和闹钟</translation>
    </message>
    <message>
        <source>+ {count}</source>
        <translation>+ {count}</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>还有 {count} 个</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Dismiss: {what}</source>
        <translation>关闭：{what}</translation>
    </message>
    <message>
        <source>Snooze 5 minutes</source>
        <translation>5 分钟后再响</translation>
    </message>
    <message>
        <source>Snooze 5 minutes: {what}</source>
        <translation>5 分钟后再响：{what}</translation>
    </message>
    <message>
        <source>Missed {when}: {what}</source>
        <translation>错过（{when}）：{what}</translation>
    </message>
    <message>
        <source>Missed {count} times, last {when}: {what}</source>
        <translation>错过 {count} 次，最近一次 {when}：{what}</translation>
    </message>
</context>
<context>
    <name>AnswersDialog</name>
    <message>
        <source>Answers of {model}</source>
        <translation>{model} 的回答</translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation>与设置相同</translation>
    </message>
    <message>
        <source>The same for all models</source>
        <translation>所有模型都一样</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>自选</translation>
    </message>
    <message>
        <source>Set the temperature of this model</source>
        <translation>设置此模型的温度</translation>
    </message>
    <message>
        <source>&amp;Variety of the words (temperature)</source>
        <translation>用词的变化（温度）(&amp;V)</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>As many as fit</source>
        <translation>能放多少放多少</translation>
    </message>
    <message>
        <source>What the makers of the model recommend</source>
        <translation>模型作者推荐的值</translation>
    </message>
    <message>
        <source>Say how many</source>
        <translation>指定数量</translation>
    </message>
    <message>
        <source>Earlier questions</source>
        <translation>之前的问题</translation>
    </message>
    <message>
        <source>&amp;Earlier questions that it remembers</source>
        <translation>它记得的之前问题(&amp;E)</translation>
    </message>
    <message>
        <source>Small models answer better with few of them.</source>
        <translation>小模型记得少一些，回答反而更好。</translation>
    </message>
    <message>
        <source>You are a friendly assistant who answers briefly.</source>
        <translation>你是一个友好的助手，回答简短。</translation>
    </message>
    <message>
        <source>&amp;What it is told about itself (system prompt)</source>
        <translation>告诉它它是谁（系统提示）(&amp;W)</translation>
    </message>
    <message>
        <source>In the language that it is to speak. Empty: nothing.</source>
        <translation>用希望它说的语言写。留空：什么也不告诉。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Everything is saved already (Esc)</source>
        <translation>一切都已保存 (Esc)</translation>
    </message>
</context>
<context>
    <name>AnswersPage</name>
    <message>
        <source>&amp;Models…</source>
        <translation>模型(&amp;M)…</translation>
    </message>
    <message>
        <source>Download, import and choose the model that answers (Ctrl+Shift+O)</source>
        <translation>下载、导入并选择回答用的模型 (Ctrl+Shift+O)</translation>
    </message>
    <message>
        <source>Which model answers</source>
        <translation>由哪个模型回答</translation>
    </message>
    <message>
        <source>A larger one knows more, speaks Chinese too, and needs more memory and a faster computer.</source>
        <translation>更大的模型懂得更多，也会说中文，但需要更多内存和更快的电脑。</translation>
    </message>
    <message>
        <source>Model’s own</source>
        <translation>模型默认</translation>
    </message>
    <message>
        <source>What the makers of the model recommend</source>
        <translation>模型作者推荐的值</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>自选</translation>
    </message>
    <message>
        <source>Set the temperature yourself</source>
        <translation>自行设定温度</translation>
    </message>
    <message>
        <source>&amp;Variety of the words (temperature)</source>
        <translation>用词的多样性（温度）(&amp;V)</translation>
    </message>
    <message>
        <source>0 always takes the likeliest word; more makes answers livelier, and wrong more often.</source>
        <translation>0 表示总选最可能的词；数值越大，回答越生动，但也越容易出错。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>New each time</source>
        <translation>每次不同</translation>
    </message>
    <message>
        <source>Each answer is made afresh</source>
        <translation>每次都重新生成回答</translation>
    </message>
    <message>
        <source>Repeatable</source>
        <translation>可重现</translation>
    </message>
    <message>
        <source>The same question in the same place gets the same answer</source>
        <translation>同样的问题在同样的上下文中得到同样的回答</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The number that all chance is drawn from</source>
        <translation>所有随机性都由这个数字决定</translation>
    </message>
    <message>
        <source>&amp;Chance (seed)</source>
        <translation>随机性（种子）(&amp;C)</translation>
    </message>
    <message>
        <source>With the same number, the same question after the same conversation gets the same answer.</source>
        <translation>数字相同时，在同样的对话之后提同样的问题，会得到同样的回答。</translation>
    </message>
</context>
<context>
    <name>Assistant</name>
    <message>
        <source>Voice {voice}</source>
        <translation>音色：{voice}</translation>
    </message>
    <message>
        <source>{reason} You can type your questions.</source>
        <translation>{reason}你可以输入问题。</translation>
    </message>
    <message>
        <source>{reason} Answers are shown as text.</source>
        <translation>{reason}回答将以文字显示。</translation>
    </message>
    <message>
        <source>The model stopped unexpectedly and was restarted: ask again.</source>
        <translation>模型意外停止，已重新启动：请重新提问。</translation>
    </message>
    <message>
        <source>The model did not start; below it says why. When that has been dealt with, try again.</source>
        <translation>模型未能启动，原因见下方。解决后请重试。</translation>
    </message>
    <message>
        <source>The microphone has gone, so I listen through another one: {name}.</source>
        <translation>麦克风已断开，现改用另一个：{name}。</translation>
    </message>
    <message>
        <source>The loudspeaker has gone, so I speak through another one: {name}.</source>
        <translation>扬声器已断开，现改用另一个：{name}。</translation>
    </message>
    <message>
        <source>Your settings cannot be saved: {reason}.</source>
        <translation>无法保存设置：{reason}。</translation>
    </message>
</context>
<context>
    <name>Bubble</name>
    <message>
        <source>Spoken question</source>
        <translation>语音提问</translation>
    </message>
    <message>
        <source>Interrupted at the mark</source>
        <translation>在标记处被打断</translation>
    </message>
    <message>
        <source>Interrupted</source>
        <translation>已打断</translation>
    </message>
    <message>
        <source>You said</source>
        <translation>你说</translation>
    </message>
    <message>
        <source>Banter said</source>
        <translation>Banter 说</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>被打断</translation>
    </message>
    <message>
        <source>with a picture</source>
        <translation>附图片</translation>
    </message>
</context>
<context>
    <name>Coach</name>
    <message>
        <source>good</source>
        <translation>良好</translation>
    </message>
    <message>
        <source>could be better</source>
        <translation>可以更好</translation>
    </message>
    <message>
        <source>not good</source>
        <translation>不佳</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>{aspect}, {state}: {advice}</source>
        <translation>{aspect}，{state}：{advice}</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Three to ten seconds of speech.</source>
        <translation>三到十秒的语音。</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>A hand&apos;s breadth or two from the microphone.</source>
        <translation>离麦克风一到两个手掌宽。</translation>
    </message>
    <message>
        <source>Peaks</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Not so loud that the microphone is overdriven.</source>
        <translation>不要太大声，以免麦克风过载。</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>噪声</translation>
    </message>
    <message>
        <source>A quiet room, without music.</source>
        <translation>安静的房间，没有音乐。</translation>
    </message>
    <message>
        <source>Silence</source>
        <translation>停顿</translation>
    </message>
    <message>
        <source>Speech without long breaks.</source>
        <translation>说话没有长时间停顿。</translation>
    </message>
    <message>
        <source>Voices</source>
        <translation>人声</translation>
    </message>
    <message>
        <source>One person alone.</source>
        <translation>只有一个人的声音。</translation>
    </message>
</context>
<context>
    <name>ConversationList</name>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
</context>
<context>
    <name>ConversationModel</name>
    <message>
        <source>Conversation without words</source>
        <translation>没有文字的对话</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>Talk to Banter</source>
        <translation>与 Banter 说话</translation>
    </message>
</context>
<context>
    <name>DesktopPage</name>
    <message>
        <source>From any program</source>
        <translation>在任何程序中</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Use no key</source>
        <translation>不使用快捷键</translation>
    </message>
    <message>
        <source>&amp;Key for talking</source>
        <translation>说话快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Keep running in the &amp;tray when closed</source>
        <translation>关闭窗口后继续在系统托盘中运行(&amp;T)</translation>
    </message>
    <message>
        <source>Start &amp;minimised</source>
        <translation>启动时最小化(&amp;M)</translation>
    </message>
    <message>
        <source>In the tray if it keeps running there, otherwise in the task bar.</source>
        <translation>如果设为在系统托盘中运行，则最小化到托盘，否则最小化到任务栏。</translation>
    </message>
    <message>
        <source>It still hears its key; its icon&apos;s menu ends it.</source>
        <translation>快捷键仍然有效；要退出，请使用托盘图标的菜单。</translation>
    </message>
    <message>
        <source>This desktop shows no tray, so closing the window ends Banter.</source>
        <translation>此桌面没有系统托盘，因此关闭窗口会退出 Banter。</translation>
    </message>
    <message>
        <source>Take a letter, a digit or Space together with Ctrl, Alt or Meta, or one of F1 to F24, Pause or Insert.</source>
        <translation>请使用字母、数字或空格键与 Ctrl、Alt 或 Meta 的组合，或者 F1 至 F24、Pause、Insert 中的一个键。</translation>
    </message>
</context>
<context>
    <name>DevicePicker</name>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>Speaker</source>
        <translation>扬声器</translation>
    </message>
    <message>
        <source>System default ({name})</source>
        <translation>系统默认（{name}）</translation>
    </message>
    <message>
        <source>System default</source>
        <translation>系统默认</translation>
    </message>
    <message>
        <source>{name} (not connected)</source>
        <translation>{name}（未连接）</translation>
    </message>
</context>
<context>
    <name>Dock</name>
    <message>
        <source>Hold to talk</source>
        <translation>按住说话</translation>
    </message>
    <message>
        <source>Loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>Press, speak, press again (Space)</source>
        <translation>按一下，说话，再按一下（空格键）</translation>
    </message>
    <message>
        <source>Press this button or the Space key before and after you speak</source>
        <translation>说话前后各按一下此按钮或空格键</translation>
    </message>
    <message>
        <source>Hold while you speak (Space)</source>
        <translation>说话时按住（空格键）</translation>
    </message>
    <message>
        <source>Hold this button or the Space key while you speak</source>
        <translation>说话时按住此按钮或空格键</translation>
    </message>
    <message>
        <source>Keep the microphone open and just speak (Ctrl+M)</source>
        <translation>保持麦克风开启，直接说话 (Ctrl+M)</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>停止回答 (Esc)</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Or type your question</source>
        <translation>或者输入问题</translation>
    </message>
    <message>
        <source>Your question about the picture</source>
        <translation>关于图片的问题</translation>
    </message>
    <message>
        <source>Your question</source>
        <translation>你的问题</translation>
    </message>
    <message>
        <source>Type a question and press Enter (Ctrl+L)</source>
        <translation>输入问题后按回车键 (Ctrl+L)</translation>
    </message>
    <message>
        <source>Ask (Enter)</source>
        <translation>提问（回车键）</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Listening, press to send</source>
        <translation>正在聆听，再按一下发送</translation>
    </message>
    <message>
        <source>Press to talk</source>
        <translation>点按说话</translation>
    </message>
    <message>
        <source>Listening, let go to send</source>
        <translation>正在聆听，松开发送</translation>
    </message>
    <message>
        <source>Open mic: on</source>
        <translation>常开麦克风：开</translation>
    </message>
    <message>
        <source>Open mic: off</source>
        <translation>常开麦克风：关</translation>
    </message>
    <message>
        <source>Open microphone</source>
        <translation>常开麦克风</translation>
    </message>
    <message>
        <source>Unmute the microphone</source>
        <translation>取消麦克风静音</translation>
    </message>
    <message>
        <source>Mute the microphone</source>
        <translation>将麦克风静音</translation>
    </message>
    <message>
        <source>{what} (Ctrl+Shift+M)</source>
        <translation>{what} (Ctrl+Shift+M)</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Banter</source>
        <translation>Banter</translation>
    </message>
    <message>
        <source>Volume</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>Microphone and speaker</source>
        <translation>麦克风和扬声器</translation>
    </message>
    <message>
        <source>Choose microphone and speaker</source>
        <translation>选择麦克风和扬声器</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings (Ctrl+,)</source>
        <translation>设置 (Ctrl+,)</translation>
    </message>
    <message>
        <source>Unmute the answers</source>
        <translation>取消回答静音</translation>
    </message>
    <message>
        <source>Mute the answers</source>
        <translation>将回答静音</translation>
    </message>
    <message>
        <source>Volume: {percent} %</source>
        <translation>音量：{percent}%</translation>
    </message>
</context>
<context>
    <name>Hotkey</name>
    <message>
        <source>Choose a key that starts your question from any program.</source>
        <translation>选择一个快捷键，在任何程序中都能开始提问。</translation>
    </message>
    <message>
        <source>Waiting for your desktop to allow the key…</source>
        <translation>正在等待桌面允许使用此快捷键…</translation>
    </message>
    <message>
        <source>{keys} works in every program.</source>
        <translation>{keys} 在所有程序中都有效。</translation>
    </message>
    <message>
        <source>Another program uses this key already: choose another one.</source>
        <translation>其他程序已在使用此快捷键：请另选一个。</translation>
    </message>
    <message>
        <source>Your desktop did not allow the key: choose it again to be asked once more.</source>
        <translation>桌面未允许使用此快捷键：再选一次即可重新询问。</translation>
    </message>
    <message>
        <source>Your system does not let Banter see the key yet: allow it in System Settings, Privacy &amp; Security, Accessibility, then start Banter again.</source>
        <translation>系统尚未允许 Banter 接收此快捷键：请在“系统设置”&gt;“隐私与安全性”&gt;“辅助功能”中允许，然后重新启动 Banter。</translation>
    </message>
    <message>
        <source>This key cannot be used here: choose another one.</source>
        <translation>此快捷键无法在这里使用：请另选一个。</translation>
    </message>
    <message>
        <source>No key can be watched here: in your system&apos;s keyboard settings, set one for the command {command}</source>
        <translation>此处无法使用全局快捷键：请在系统的键盘设置中为命令 {command} 设置一个快捷键</translation>
    </message>
</context>
<context>
    <name>Kept</name>
    <message>
        <source>The sound of this answer is no longer kept.</source>
        <translation>这条回答的声音已不再保留。</translation>
    </message>
    <message>
        <source>It can be said again when there is a loudspeaker, the model is ready and you are not talking.</source>
        <translation>需要有扬声器、模型已就绪且你没有在说话，才能重新播放。</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>导出对话</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>FLAC (*.flac)</source>
        <translation>FLAC (*.flac)</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
</context>
<context>
    <name>KeyField</name>
    <message>
        <source>Press the keys… (Esc: leave it)</source>
        <translation>请按下快捷键…（Esc 取消）</translation>
    </message>
    <message>
        <source>No key: choose one…</source>
        <translation>未设置：点击选择…</translation>
    </message>
</context>
<context>
    <name>LargerModel</name>
    <message>
        <source>Asking the program which models it has…</source>
        <translation>正在询问该程序有哪些模型…</translation>
    </message>
    <message>
        <source>Waiting for the answer…</source>
        <translation>正在等待回答…</translation>
    </message>
</context>
<context>
    <name>LargerModelPage</name>
    <message>
        <source>Ask a &amp;larger model</source>
        <translation>询问更大的模型(&amp;L)</translation>
    </message>
    <message>
        <source>One that runs on this computer in a program like Ollama, llama.cpp or LM Studio. Banter speaks its answers and marks where they come from.</source>
        <translation>在这台电脑上的 Ollama、llama.cpp 或 LM Studio 等程序中运行的模型。Banter 会朗读它的回答，并标明来源。</translation>
    </message>
    <message>
        <source>What Banter does not know</source>
        <translation>Banter 不知道的问题</translation>
    </message>
    <message>
        <source>Banter answers by itself what it knows, which is faster</source>
        <translation>Banter 知道的由它自己回答，这样更快</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>所有问题</translation>
    </message>
    <message>
        <source>Only what Banter’s tools do, such as timers, is not asked</source>
        <translation>只有 Banter 的工具能做的事（例如计时器）不会转交</translation>
    </message>
    <message>
        <source>&amp;What it is asked</source>
        <translation>询问的内容(&amp;W)</translation>
    </message>
    <message>
        <source>Where it is</source>
        <translation>所在位置</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>地址(&amp;A)</translation>
    </message>
    <message>
        <source>Port 11434 for Ollama, 8080 for llama.cpp, 1234 for LM Studio, unless you have changed it.</source>
        <translation>Ollama 的端口是 11434，llama.cpp 是 8080，LM Studio 是 1234，除非你改过。</translation>
    </message>
    <message>
        <source>&amp;Choose…</source>
        <translation>选择…(&amp;C)</translation>
    </message>
    <message>
        <source>Ask the program which models it has</source>
        <translation>询问该程序有哪些模型</translation>
    </message>
    <message>
        <source>&amp;Try it</source>
        <translation>试一试(&amp;T)</translation>
    </message>
    <message>
        <source>Ask the model to say hello</source>
        <translation>请模型打个招呼</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Allow a&amp;nother computer</source>
        <translation>允许使用另一台电脑(&amp;N)</translation>
    </message>
    <message>
        <source>Allow another computer</source>
        <translation>允许使用另一台电脑</translation>
    </message>
    <message>
        <source>Banter listens, uses its tools and speaks; the answers are the larger model’s.</source>
        <translation>Banter 负责聆听、使用工具和说话；回答由更大的模型给出。</translation>
    </message>
    <message>
        <source>Only when Banter would say that it does not know, or cannot do it.</source>
        <translation>只有当 Banter 本来会说不知道或做不到时才询问。</translation>
    </message>
    <message>
        <source>The model in use does not tell when it does not know, so choose “Everything”.</source>
        <translation>当前使用的模型不会说明自己不知道，因此请选择“所有问题”。</translation>
    </message>
    <message>
        <source>This address is another computer: with this, your questions, and what was said before them, leave this computer and go to {host}.</source>
        <translation>这个地址是另一台电脑：开启后，你的问题以及之前的对话会离开这台电脑，发送到 {host}。</translation>
    </message>
</context>
<context>
    <name>Latency</name>
    <message>
        <source>{count} ms</source>
        <translation>{count} 毫秒</translation>
    </message>
    <message>
        <source>{count} s</source>
        <translation>{count} 秒</translation>
    </message>
    <message>
        <source>First sound after {time}</source>
        <translation>{time}后开始发声</translation>
    </message>
    <message>
        <source>Answer ready after {time}</source>
        <translation>{time}后生成回答</translation>
    </message>
    <message>
        <source>Counted from the end of your voice.</source>
        <translation>从你说完时算起。</translation>
    </message>
    <message>
        <source>Counted from letting the button go.</source>
        <translation>从松开按钮时算起。</translation>
    </message>
    <message>
        <source>Counted from sending the question.</source>
        <translation>从发送问题时算起。</translation>
    </message>
    <message>
        <source>Waiting to be sure that you had finished</source>
        <translation>等待确认你已说完</translation>
    </message>
    <message>
        <source>Hearing the question</source>
        <translation>听取问题</translation>
    </message>
    <message>
        <source>Reading it with the conversation</source>
        <translation>结合对话理解问题</translation>
    </message>
    <message>
        <source>Making the first piece of speech</source>
        <translation>生成第一段语音</translation>
    </message>
    <message>
        <source>The model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Between window and model, and leading silence</source>
        <translation>窗口与模型之间的传递，以及开头的静音</translation>
    </message>
    <message>
        <source>The speaker’s buffers</source>
        <translation>扬声器缓冲</translation>
    </message>
    <message>
        <source>The model was at work {time} before it was sure that you had finished.</source>
        <translation>在确认你已说完之前，模型已提前工作了 {time}。</translation>
    </message>
</context>
<context>
    <name>LatencyLine</name>
    <message>
        <source>Show where the time went</source>
        <translation>显示时间用在了哪里</translation>
    </message>
    <message>
        <source>opened</source>
        <translation>已展开</translation>
    </message>
    <message>
        <source>closed</source>
        <translation>已收起</translation>
    </message>
</context>
<context>
    <name>LevelMeter</name>
    <message>
        <source>Microphone level</source>
        <translation>麦克风音量</translation>
    </message>
</context>
<context>
    <name>LicencesDialog</name>
    <message>
        <source>Licences of {model}</source>
        <translation>{model} 的许可证</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Licence of {part}: {licence}</source>
        <translation>{part} 的许可证：{licence}</translation>
    </message>
</context>
<context>
    <name>LogWriter</name>
    <message>
        <source>The transcript file cannot be written: {reason}.</source>
        <translation>无法写入对话记录文件：{reason}。</translation>
    </message>
</context>
<context>
    <name>LookPage</name>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark words on a light ground</source>
        <translation>浅色背景，深色文字</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Light words on a dark ground</source>
        <translation>深色背景，浅色文字</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Changes with the setting of your system</source>
        <translation>随系统设置变化</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>That of your system where Banter knows it, otherwise English</source>
        <translation>使用系统的语言；如果 Banter 不支持，则使用英语</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>语言(&amp;G)</translation>
    </message>
    <message>
        <source>Of the windows, from the next start of Banter on. The model answers in the languages it knows.</source>
        <translation>指窗口的语言，下次启动 Banter 时生效。模型只会用它掌握的语言回答。</translation>
    </message>
    <message>
        <source>Text &amp;size</source>
        <translation>文字大小(&amp;S)</translation>
    </message>
    <message>
        <source>Compared with the text of your system.</source>
        <translation>相对于系统的文字大小。</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Less &amp;motion</source>
        <translation>减少动态效果(&amp;M)</translation>
    </message>
    <message>
        <source>The picture of what Banter is doing stands still. Off: as your system wants it.</source>
        <translation>表示 Banter 状态的图形保持静止。关闭时跟随系统设置。</translation>
    </message>
    <message>
        <source>Show how &amp;long each answer took</source>
        <translation>显示每次回答的用时(&amp;L)</translation>
    </message>
    <message>
        <source>A line below each answer, which opens to show where the time went. Off: in the menu of a message.</source>
        <translation>在每条回答下方显示一行，展开可查看时间用在了哪里。关闭时可从消息菜单中查看。</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Banter</source>
        <translation>Banter</translation>
    </message>
    <message>
        <source>Show the conversations (F9)</source>
        <translation>显示对话列表 (F9)</translation>
    </message>
    <message>
        <source>Show the conversations</source>
        <translation>显示对话列表</translation>
    </message>
</context>
<context>
    <name>MessageActions</name>
    <message>
        <source>Copy (Ctrl+C)</source>
        <translation>复制 (Ctrl+C)</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>复制这条消息</translation>
    </message>
    <message>
        <source>Say that again (Ctrl+R)</source>
        <translation>重新播放 (Ctrl+R)</translation>
    </message>
    <message>
        <source>Say that again</source>
        <translation>重新播放</translation>
    </message>
    <message>
        <source>More (Menu key)</source>
        <translation>更多（菜单键）</translation>
    </message>
    <message>
        <source>More about this message</source>
        <translation>这条消息的更多操作</translation>
    </message>
</context>
<context>
    <name>MessageMenu</name>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Say that again</source>
        <translation>重新播放(&amp;S)</translation>
    </message>
    <message>
        <source>Where the &amp;time went</source>
        <translation>时间用在了哪里(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Report this turn…</source>
        <translation>报告这一轮对话(&amp;R)…</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Progress of {model}</source>
        <translation>{model} 的进度</translation>
    </message>
    <message>
        <source>{action}: {model}</source>
        <translation>{action}：{model}</translation>
    </message>
</context>
<context>
    <name>ModelSwitch</name>
    <message>
        <source>{model} could not be loaded, so {other} answers. {reason}</source>
        <translation>{model} 无法载入，现由 {other} 回答。{reason}</translation>
    </message>
    <message>
        <source>The model had been put away and is coming back. What you say meanwhile is not lost.</source>
        <translation>模型之前已被收起，正在回来。期间说的话不会丢失。</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Answers…</source>
        <translation>回答…</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>校验</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Licences…</source>
        <translation>许可证…</translation>
    </message>
    <message>
        <source>Offline: allow the network below to download it.</source>
        <translation>离线：要下载，请在下方允许使用网络。</translation>
    </message>
    <message>
        <source>Being imported</source>
        <translation>正在导入</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>正在下载</translation>
    </message>
    <message>
        <source>Being checked</source>
        <translation>正在校验</translation>
    </message>
    <message>
        <source>Being removed</source>
        <translation>正在删除</translation>
    </message>
    <message>
        <source>Being loaded</source>
        <translation>正在载入</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Not here</source>
        <translation>未下载</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>已在本机</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>{size} · comes with Banter · English</source>
        <translation>{size} · 随 Banter 提供 · 英语</translation>
    </message>
    <message>
        <source>{size} on this computer</source>
        <translation>在本机占 {size}</translation>
    </message>
    <message>
        <source>about {size} to download</source>
        <translation>需下载约 {size}</translation>
    </message>
    <message>
        <source>{done} of about {total} are here</source>
        <translation>约 {total} 中已有 {done}</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent} %</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>{size} a second</source>
        <translation>每秒 {size}</translation>
    </message>
    <message>
        <source>{file}: {done} of {total}</source>
        <translation>{file}：{done} / {total}</translation>
    </message>
    <message>
        <source>{count} s left</source>
        <translation>剩余 {count} 秒</translation>
    </message>
    <message>
        <source>{count} min left</source>
        <translation>剩余 {count} 分钟</translation>
    </message>
    <message>
        <source>{count} h left</source>
        <translation>剩余 {count} 小时</translation>
    </message>
    <message>
        <source>Banter starter</source>
        <translation>Banter 入门模型</translation>
    </message>
    <message>
        <source>The model {model} is not here any more, so the starter answers.</source>
        <translation>模型 {model} 已不在本机，现由入门模型回答。</translation>
    </message>
    <message>
        <source>Import a model</source>
        <translation>导入模型</translation>
    </message>
    <message>
        <source>Remove {model} from this computer?</source>
        <translation>从本机删除 {model}？</translation>
    </message>
    <message>
        <source>This frees up to {size}. It can be downloaded again.</source>
        <translation>最多可释放 {size}。以后可以再次下载。</translation>
    </message>
    <message>
        <source>This frees up to {size}, and cannot be undone: Banter does not know where it came from.</source>
        <translation>最多可释放 {size}，且无法撤销：Banter 不知道它来自何处。</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Damaged: {names}. Repair it, or import it again.</source>
        <translation>已损坏：{names}。请修复，或重新导入。</translation>
    </message>
    <message>
        <source>Every file is as it should be.</source>
        <translation>所有文件都完好。</translation>
    </message>
    <message>
        <source>It is here, and every file has been checked.</source>
        <translation>已在本机，所有文件都已校验。</translation>
    </message>
    <message>
        <source>{model} is here, without {parts}.</source>
        <translation>{model} 已在本机，但缺少 {parts}。</translation>
    </message>
    <message>
        <source>{model} is here, and every file has been checked.</source>
        <translation>{model} 已在本机，所有文件都已校验。</translation>
    </message>
    <message>
        <source>Downloaded models take {used}; {free} of the disk are free.</source>
        <translation>已下载的模型占 {used}；磁盘剩余 {free}。</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Hugging Face</source>
        <translation>Hugging Face</translation>
    </message>
    <message>
        <source>Or what the variable HF_ENDPOINT names</source>
        <translation>或变量 HF_ENDPOINT 指定的地址</translation>
    </message>
    <message>
        <source>ModelScope</source>
        <translation>魔搭社区</translation>
    </message>
    <message>
        <source>Often faster in China</source>
        <translation>在中国通常更快</translation>
    </message>
    <message>
        <source>Another address</source>
        <translation>其他地址</translation>
    </message>
    <message>
        <source>A mirror that answers as Hugging Face does</source>
        <translation>与 Hugging Face 兼容的镜像</translation>
    </message>
    <message>
        <source>&amp;From where</source>
        <translation>下载来源(&amp;F)</translation>
    </message>
    <message>
        <source>Address of the mirror</source>
        <translation>镜像地址</translation>
    </message>
    <message>
        <source>An address begins with https:// or http://.</source>
        <translation>地址应以 https:// 或 http:// 开头。</translation>
    </message>
    <message>
        <source>Stay &amp;offline</source>
        <translation>保持离线(&amp;O)</translation>
    </message>
    <message>
        <source>Banter then connects to nothing at all: no downloads, no weather, no model elsewhere.</source>
        <translation>Banter 将完全不联网：不下载，不查天气，也不用别处的模型。</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>After {count} minutes</source>
        <translation>{count} 分钟后</translation>
    </message>
    <message>
        <source>&amp;Put the model away when it is not used</source>
        <translation>不使用时收起模型(&amp;P)</translation>
    </message>
    <message>
        <source>That frees its memory. It comes back when you talk; nothing you say meanwhile is lost.</source>
        <translation>这会释放内存。你说话时它会回来；期间说的话不会丢失。</translation>
    </message>
</context>
<context>
    <name>ModelsWindow</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>&amp;Import from a folder…</source>
        <translation>从文件夹导入(&amp;I)…</translation>
    </message>
    <message>
        <source>For a model that you have carried here from another computer</source>
        <translation>用于从另一台电脑带来的模型</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>NotesWindow</name>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Say “take a note”, and what you want to keep.</source>
        <translation>说 “take a note”，再说要记下的内容。</translation>
    </message>
    <message>
        <source>Your notes, the newest first</source>
        <translation>你的笔记，最新的在前</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Delete</source>
        <translation>删除(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>{count} notes deleted</source>
        <translation>已删除 {count} 条笔记</translation>
    </message>
    <message>
        <source>Note deleted</source>
        <translation>笔记已删除</translation>
    </message>
    <message>
        <source>Export the notes</source>
        <translation>导出笔记</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>Close this notice</source>
        <translation>关闭此提示</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>OfferCard</name>
    <message>
        <source>Check your microphone and speaker?</source>
        <translation>要检查麦克风和扬声器吗？</translation>
    </message>
    <message>
        <source>It takes ten seconds and finds out how you talk best here. You start the sound.</source>
        <translation>只需十秒，就能找出最适合这里的说话方式。声音由你来开始播放。</translation>
    </message>
    <message>
        <source>Check the sound</source>
        <translation>检查声音</translation>
    </message>
    <message>
        <source>Not now; it is in the settings under Sound</source>
        <translation>暂不检查；以后可在设置的“声音”中找到</translation>
    </message>
    <message>
        <source>Do without the sound check</source>
        <translation>不做声音检查</translation>
    </message>
</context>
<context>
    <name>PictureCard</name>
    <message>
        <source>Goes with your next question</source>
        <translation>将随下一个问题一起提问</translation>
    </message>
    <message>
        <source>Ask about it aloud or in writing</source>
        <translation>可以说出或输入你的问题</translation>
    </message>
    <message>
        <source>Remove the picture</source>
        <translation>移除图片</translation>
    </message>
    <message>
        <source>Picture for your next question</source>
        <translation>下一个问题的图片</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>Add a picture</source>
        <translation>添加图片</translation>
    </message>
    <message>
        <source>Ask about a picture: choose one here, drop it on the window, or paste it</source>
        <translation>就图片提问：在此选择，拖放到窗口，或粘贴</translation>
    </message>
    <message>
        <source>Choose a picture</source>
        <translation>选择图片</translation>
    </message>
    <message>
        <source>Pictures ({endings})</source>
        <translation>图片 ({endings})</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Please describe this image.</source>
        <translation>请描述这张图片。</translation>
    </message>
    <message>
        <source>{file} is not there any more.</source>
        <translation>{file} 已不存在。</translation>
    </message>
    <message>
        <source>{file} is no picture that Banter can read: use PNG, JPEG, WebP, GIF, BMP or TIFF.</source>
        <translation>{file} 不是 Banter 能读取的图片：请使用 PNG、JPEG、WebP、GIF、BMP 或 TIFF。</translation>
    </message>
    <message>
        <source>{file} cannot be shown, it is damaged: choose another picture.</source>
        <translation>{file} 已损坏，无法显示：请选择另一张图片。</translation>
    </message>
    <message>
        <source>There is no picture in what was pasted: copy it again.</source>
        <translation>粘贴的内容中没有图片：请重新复制。</translation>
    </message>
    <message>
        <source>{file} is too large: at most {megabytes} MB and {millions} million pixels are read.</source>
        <translation>{file} 太大：最多读取 {megabytes} MB、{millions} 百万像素。</translation>
    </message>
</context>
<context>
    <name>PreferencesWindow</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Larger model</source>
        <translation>更大的模型</translation>
    </message>
    <message>
        <source>Desktop</source>
        <translation>桌面</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>设置页面</translation>
    </message>
    <message>
        <source>&amp;Restore defaults</source>
        <translation>恢复默认值(&amp;R)</translation>
    </message>
    <message>
        <source>Set everything on this page to what it was at first</source>
        <translation>将此页的所有设置恢复为初始值</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Everything is saved already (Esc)</source>
        <translation>所有更改都已保存 (Esc)</translation>
    </message>
</context>
<context>
    <name>Presence</name>
    <message>
        <source>This Banter is of another version: end it and start it again.</source>
        <translation>正在运行的 Banter 是其他版本：请将其退出后重新启动。</translation>
    </message>
    <message>
        <source>Banter is still loading its model: try again in a moment.</source>
        <translation>Banter 仍在加载模型：请稍后再试。</translation>
    </message>
    <message>
        <source>Banter&apos;s model is not running: its window says why.</source>
        <translation>Banter 的模型没有运行：原因见其窗口。</translation>
    </message>
    <message>
        <source>The microphone is muted in Banter: unmute it first.</source>
        <translation>Banter 中的麦克风已静音：请先取消静音。</translation>
    </message>
    <message>
        <source>Banter has no microphone: plug one in and try again.</source>
        <translation>Banter 没有可用的麦克风：请接上麦克风后重试。</translation>
    </message>
    <message>
        <source>Banter rings</source>
        <translation>Banter 响铃</translation>
    </message>
</context>
<context>
    <name>Previews</name>
    <message>
        <source>The model could not speak in this voice: try another one.</source>
        <translation>模型无法用此音色说话：请试试其他音色。</translation>
    </message>
    <message>
        <source>A voice can be heard when there is a loudspeaker, the model is ready and you are not talking.</source>
        <translation>需要有扬声器、模型已就绪且你没有在说话，才能试听音色。</translation>
    </message>
</context>
<context>
    <name>PrivacyPage</name>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>For ever</source>
        <translation>永久</translation>
    </message>
    <message>
        <source>For 30 days</source>
        <translation>30 天</translation>
    </message>
    <message>
        <source>For 7 days</source>
        <translation>7 天</translation>
    </message>
    <message>
        <source>Not at all: only until Banter closes</source>
        <translation>不保留：Banter 关闭即清除</translation>
    </message>
    <message>
        <source>&amp;Keep conversations</source>
        <translation>保留对话(&amp;K)</translation>
    </message>
    <message>
        <source>Counted from their last message. Older ones are deleted.</source>
        <translation>从最后一条消息算起，更早的对话会被删除。</translation>
    </message>
    <message>
        <source>Keep the &amp;sound of answers too</source>
        <translation>同时保留回答的声音(&amp;S)</translation>
    </message>
    <message>
        <source>So that they can be played again later; up to 200 MB. Your own voice is not kept with them.</source>
        <translation>以便日后重新播放，最多占用 200 MB。你自己的声音不会随之保留。</translation>
    </message>
    <message>
        <source>&amp;Delete all conversations…</source>
        <translation>删除所有对话(&amp;D)…</translation>
    </message>
    <message>
        <source>You are asked once more before anything is deleted</source>
        <translation>删除之前会再次询问</translation>
    </message>
    <message>
        <source>Reports</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Keep the last turn’s sound for &amp;reports</source>
        <translation>为报告保留最近一轮的声音(&amp;R)</translation>
    </message>
    <message>
        <source>In memory only, until the next turn or until Banter closes, so that “Report this turn” in the menu of a message can save what was heard. Nothing is ever sent.</source>
        <translation>仅存于内存，直到下一轮对话或 Banter 关闭，以便消息菜单中的“报告这一轮对话”能保存当时听到的内容。任何内容都不会被发送。</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Ask for the &amp;weather in the network</source>
        <translation>通过网络查询天气(&amp;W)</translation>
    </message>
    <message>
        <source>Only when you ask for it: the name of the place then goes to open-meteo.com, and nothing else does.</source>
        <translation>仅在你询问天气时：地名会发送到 open-meteo.com，除此之外什么都不发送。</translation>
    </message>
</context>
<context>
    <name>Promise</name>
    <message>
        <source>Nothing leaves this computer</source>
        <translation>一切都留在这台电脑上</translation>
    </message>
    <message>
        <source>Your voice is understood, answered and kept here. The network is used only for models that you download.</source>
        <translation>你的声音在本机听懂、回答和保存。只有下载模型时才使用网络。</translation>
    </message>
    <message>
        <source>Your words may leave this computer</source>
        <translation>你说的话可能会离开这台电脑</translation>
    </message>
    <message>
        <source>Your voice is understood and kept here, but questions, and what was said before them, go to {host} as text.</source>
        <translation>你的声音在本机识别和保存，但问题以及之前的对话会以文字形式发送到 {host}。</translation>
    </message>
    <message>
        <source>Your voice stays on this computer</source>
        <translation>你的声音只留在这台电脑上</translation>
    </message>
    <message>
        <source>It is understood, answered and kept here.</source>
        <translation>它在这里被理解、回答和保存。</translation>
    </message>
    <message>
        <source>Your voice is understood, answered and kept here.</source>
        <translation>你的声音在本机识别、回答和保存。</translation>
    </message>
    <message>
        <source>Questions go to {model} too, which runs on this computer.</source>
        <translation>问题也会交给在这台电脑上运行的 {model}。</translation>
    </message>
    <message>
        <source>Only when you ask for the weather, the name of the place goes to open-meteo.com.</source>
        <translation>只有当你询问天气时，地名才会发送到 open-meteo.com。</translation>
    </message>
    <message>
        <source>{first} {second}</source>
        <translation>{first}{second}</translation>
    </message>
</context>
<context>
    <name>ReportWindow</name>
    <message>
        <source>Report this turn</source>
        <translation>报告这一轮对话</translation>
    </message>
    <message>
        <source>Banter writes one file that shows what went wrong in this turn. Nothing is sent: you choose where the file goes, can look at it with any zip program, and give it to whom you like.</source>
        <translation>Banter 会生成一个文件，说明这一轮对话出了什么问题。不会发送任何内容：文件存放在哪里由你决定，可以用任何 zip 程序查看，也可以交给你信任的人。</translation>
    </message>
    <message>
        <source>Your question “{question}” and its answer</source>
        <translation>你的问题“{question}”及其回答</translation>
    </message>
    <message>
        <source>Your question and its answer</source>
        <translation>你的问题及其回答</translation>
    </message>
    <message>
        <source>No sound: keeping the last turn’s sound is off, or there was no microphone</source>
        <translation>没有声音：未开启保留最近一轮的声音，或者没有麦克风</translation>
    </message>
    <message>
        <source>{seconds} s of sound, from shortly before your question on: your microphone and the speaker</source>
        <translation>{seconds} 秒的声音，从你提问前片刻开始：包括麦克风和扬声器</translation>
    </message>
    <message>
        <source>What Banter did and when, and your settings of turn-taking and sound</source>
        <translation>Banter 何时做了什么，以及你的对话和声音设置</translation>
    </message>
    <message>
        <source>Names of your microphone and speaker; versions of Banter, its model and your system</source>
        <translation>麦克风和扬声器的名称；Banter、模型和系统的版本</translation>
    </message>
    <message>
        <source>No other question and no other conversation</source>
        <translation>不含其他问题和其他对话</translation>
    </message>
    <message>
        <source>&amp;Save as…</source>
        <translation>另存为(&amp;S)…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Saved as {file}.</source>
        <translation>已保存为 {file}。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Reporter</name>
    <message>
        <source>Save the report</source>
        <translation>保存报告</translation>
    </message>
    <message>
        <source>Report (*.zip)</source>
        <translation>报告 (*.zip)</translation>
    </message>
</context>
<context>
    <name>Retention</name>
    <message>
        <source>All kept conversations are deleted, and this cannot be undone.</source>
        <translation>所有已保留的对话都会被删除，且无法撤销。</translation>
    </message>
    <message>
        <source>What is older than {days} days is deleted, and this cannot be undone.</source>
        <translation>早于 {days} 天的对话会被删除，且无法撤销。</translation>
    </message>
    <message>
        <source>Delete one conversation now?</source>
        <translation>现在删除 1 个对话吗？</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n conversations now?</source>
        <translation>
            <numerusform>现在删除 %n 个对话吗？</numerusform>
        </translation>
    </message>
    <message>
        <source>They and the sound that was kept with them are deleted, and this cannot be undone.</source>
        <translation>这些对话及随之保留的声音都会被删除，且无法撤销。</translation>
    </message>
    <message>
        <source>Delete all conversations?</source>
        <translation>删除所有对话吗？</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>Row</name>
    <message>
        <source>Name of the conversation</source>
        <translation>对话名称</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>The model does not answer: please ask again.</source>
        <translation>模型没有回答：请重新提问。</translation>
    </message>
    <message>
        <source>The model could not answer: please ask again.</source>
        <translation>模型未能回答：请重新提问。</translation>
    </message>
    <message>
        <source>The model is still being loaded: ask again when it is ready.</source>
        <translation>模型仍在加载：请在就绪后重新提问。</translation>
    </message>
    <message>
        <source>There is no microphone: plug one in, or type your question.</source>
        <translation>没有麦克风：请接上麦克风，或输入问题。</translation>
    </message>
    <message>
        <source>The microphone is muted: unmute it to talk.</source>
        <translation>麦克风已静音：取消静音后即可说话。</translation>
    </message>
    <message>
        <source>I heard no speech: hold the button while you talk, and check the microphone.</source>
        <translation>没有听到语音：请在说话时按住按钮，并检查麦克风。</translation>
    </message>
    <message>
        <source>That was a minute, so I answer what I have heard so far.</source>
        <translation>已经说了一分钟，现在先回答目前听到的内容。</translation>
    </message>
    <message>
        <source>I heard my own voice from the loudspeaker, so for a minute I do not listen while I speak: turn it down or use headphones.</source>
        <translation>从扬声器听到了自己的声音，因此一分钟内说话时不聆听：请调低音量或使用耳机。</translation>
    </message>
    <message>
        <source>microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>loudspeaker</source>
        <translation>扬声器</translation>
    </message>
    <message>
        <source>The microphone has gone away: plug it in again or choose another one.</source>
        <translation>麦克风已断开：请重新接上，或另选一个。</translation>
    </message>
    <message>
        <source>The loudspeaker has gone away: plug it in again or choose another one.</source>
        <translation>扬声器已断开：请重新接上，或另选一个。</translation>
    </message>
    <message>
        <source>The microphone gives no sound at all: check that it is not muted or used by another program.</source>
        <translation>麦克风完全没有声音：请确认它没有被静音，也没有被其他程序占用。</translation>
    </message>
    <message>
        <source>The microphone has stopped: check its cable, and whether another program has taken it over.</source>
        <translation>麦克风停止了工作：请检查它的连接线，以及它是否被其他程序占用。</translation>
    </message>
    <message>
        <source>No {what} was found: plug one in and try again.</source>
        <translation>没有找到{what}：请接上后重试。</translation>
    </message>
    <message>
        <source>No sound device was found: plug one in and try again.</source>
        <translation>没有找到声音设备：请接上后重试。</translation>
    </message>
    <message>
        <source>The {what} is in use by another program: close that program and try again.</source>
        <translation>{what}正被其他程序使用：请关闭该程序后重试。</translation>
    </message>
    <message>
        <source>The {what} could not be opened ({reason}): choose another one in the system&apos;s sound settings.</source>
        <translation>无法打开{what}（{reason}）：请在系统的声音设置中另选一个。</translation>
    </message>
    <message>
        <source>The package sounddevice is missing: pip install sounddevice</source>
        <translation>缺少软件包 sounddevice：pip install sounddevice</translation>
    </message>
    <message>
        <source>The PortAudio library is missing, so there is no sound.{how}</source>
        <translation>缺少 PortAudio 库，因此没有声音。{how}</translation>
    </message>
    <message>
        <source> Install it with: sudo apt install libportaudio2</source>
        <translation>安装方法：sudo apt install libportaudio2</translation>
    </message>
    <message>
        <source>The microphone needs a Python package that is missing: {name}.</source>
        <translation>麦克风所需的 Python 软件包缺失：{name}。</translation>
    </message>
    <message>
        <source>The speech detector is missing: pip install &apos;silero-vad&gt;=6.2.3&apos; --no-deps.</source>
        <translation>缺少语音检测器：pip install &apos;silero-vad&gt;=6.2.3&apos; --no-deps。</translation>
    </message>
    <message>
        <source>you have switched the echo canceller off</source>
        <translation>你已关闭回声消除</translation>
    </message>
    <message>
        <source>the package livekit is missing</source>
        <translation>缺少软件包 livekit</translation>
    </message>
    <message>
        <source>the echo canceller of the package livekit does not start here</source>
        <translation>软件包 livekit 的回声消除无法在此启动</translation>
    </message>
    <message>
        <source>the echo canceller has failed</source>
        <translation>回声消除出错</translation>
    </message>
    <message>
        <source>Reading the model</source>
        <translation>正在读取模型</translation>
    </message>
    <message>
        <source>Preparing the network</source>
        <translation>正在准备网络</translation>
    </message>
    <message>
        <source>Loading the ears</source>
        <translation>正在加载听觉部分</translation>
    </message>
    <message>
        <source>Loading the voice</source>
        <translation>正在加载语音部分</translation>
    </message>
    <message>
        <source>loading the model</source>
        <translation>加载模型</translation>
    </message>
    <message>
        <source>answering</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>making the voice</source>
        <translation>制作音色</translation>
    </message>
    <message>
        <source>The model stopped unexpectedly and is being restarted.</source>
        <translation>模型意外停止，正在重新启动。</translation>
    </message>
    <message>
        <source>The model stopped {count} times within a minute; choose another model, or close other programs and load it again.</source>
        <translation>模型在一分钟内停止了 {count} 次；请选择其他模型，或关闭其他程序后重新加载。</translation>
    </message>
    <message>
        <source>The model is not running; load it again or choose another one.</source>
        <translation>模型没有运行；请重新加载，或选择其他模型。</translation>
    </message>
    <message>
        <source>No model is loaded yet; wait until it is ready and ask again.</source>
        <translation>尚未加载模型；请等它就绪后重新提问。</translation>
    </message>
    <message>
        <source>No model is loaded yet; wait until it is ready.</source>
        <translation>尚未加载模型；请等待就绪。</translation>
    </message>
    <message>
        <source>The model {name} cannot make new voices; choose one of its own.</source>
        <translation>模型 {name} 不能制作新音色；请选择它自带的音色。</translation>
    </message>
    <message>
        <source>The question is longer than {seconds} seconds; please ask a shorter one.</source>
        <translation>问题超过了 {seconds} 秒；请问得简短一些。</translation>
    </message>
    <message>
        <source>The question is too long for this model ({needed} of at most {room} positions): ask it in fewer words.</source>
        <translation>问题对此模型来说太长（{needed} 个位置，最多 {room} 个）：请用更少的词提问。</translation>
    </message>
    <message>
        <source>The model {name} cannot see pictures: ask without one, or choose a model that can see.</source>
        <translation>模型 {name} 看不到图片：请不带图片提问，或选择能看图的模型。</translation>
    </message>
    <message>
        <source>The model {name} lacks its vision tower (the folder {folder}): download it again to ask about pictures.</source>
        <translation>模型 {name} 缺少视觉部分（文件夹 {folder}）：请重新下载该模型再就图片提问。</translation>
    </message>
    <message>
        <source>There is no voice &apos;{name}&apos;: choose one of {names}.</source>
        <translation>没有音色“{name}”：请从 {names} 中选择。</translation>
    </message>
    <message>
        <source>There was not enough memory while {doing}; close other programs and try again.</source>
        <translation>{doing}时内存不足；请关闭其他程序后重试。</translation>
    </message>
    <message>
        <source>Something went wrong while {doing} ({what}); please try again, and report it if it comes back.</source>
        <translation>{doing}时出错（{what}）；请重试，如果再次出现请报告。</translation>
    </message>
    <message>
        <source>The model folder {folder} cannot be used: {error}</source>
        <translation>模型文件夹 {folder} 无法使用：{error}</translation>
    </message>
    <message>
        <source>{folder} holds no model weights: download or copy the model folder again.</source>
        <translation>{folder} 中没有模型权重：请重新下载或复制模型文件夹。</translation>
    </message>
    <message>
        <source>{path} is missing: this is not a model folder.</source>
        <translation>缺少 {path}：这不是模型文件夹。</translation>
    </message>
    <message>
        <source>{path} is missing: download or copy the model folder again.</source>
        <translation>缺少 {path}：请重新下载或复制模型文件夹。</translation>
    </message>
    <message>
        <source>{path} is missing or damaged: download or copy the model folder again.</source>
        <translation>{path} 缺失或已损坏：请重新下载或复制模型文件夹。</translation>
    </message>
    <message>
        <source>{path} is missing or damaged ({error}): download or copy it again.</source>
        <translation>{path} 缺失或已损坏（{error}）：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} is damaged ({error}): download or copy it again.</source>
        <translation>{path} 已损坏（{error}）：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} is empty, so its download was cut off: download or copy it again.</source>
        <translation>{path} 是空文件，下载已中断：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} is only a pointer of Git LFS to the weights: download the file itself{size}, or run git lfs pull.</source>
        <translation>{path} 只是指向权重的 Git LFS 指针：请下载文件本身{size}，或运行 git lfs pull。</translation>
    </message>
    <message>
        <source>{path} is a web page that was saved under the name of the weights: download the file itself.</source>
        <translation>{path} 是以权重文件名保存的网页：请下载文件本身。</translation>
    </message>
    <message>
        <source>{path} is incomplete, it ends after {megabytes} MB: download or copy it again.</source>
        <translation>{path} 不完整，在 {megabytes} MB 处中断：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} is incomplete, it ends in the midst of &apos;{name}&apos;: download or copy it again.</source>
        <translation>{path} 不完整，在“{name}”中间中断：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} is incomplete or damaged, it ends in its list of tensors: download or copy it again.</source>
        <translation>{path} 不完整或已损坏，在张量列表中中断：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} is damaged, its list of tensors cannot be read: download or copy it again.</source>
        <translation>{path} 已损坏，无法读取其张量列表：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} cannot be read as a weight file, it is damaged or of another kind: download or copy it again.</source>
        <translation>无法将 {path} 作为权重文件读取，它已损坏或属于其他类型：请重新下载或复制。</translation>
    </message>
    <message>
        <source>{path} cannot be read: {error}.</source>
        <translation>无法读取 {path}：{error}。</translation>
    </message>
    <message>
        <source>{path} does not fit this version of Banter: download or copy the model folder again.</source>
        <translation>{path} 与此版本的 Banter 不匹配：请重新下载或复制模型文件夹。</translation>
    </message>
    <message>
        <source>config.json names the audio encoder &apos;{kind}&apos;, which this version of Banter does not have.</source>
        <translation>config.json 指定了音频编码器“{kind}”，但此版本的 Banter 没有它。</translation>
    </message>
    <message>
        <source>config.json names the speech codec &apos;{kind}&apos;, which this version of Banter does not have.</source>
        <translation>config.json 指定了语音编解码器“{kind}”，但此版本的 Banter 没有它。</translation>
    </message>
    <message>
        <source>There is too little voice in this clip: record three seconds or more of clear speech.</source>
        <translation>这段录音中的语音太少：请录制三秒以上的清晰语音。</translation>
    </message>
    <message>
        <source>Your settings could not be read ({reason}), so the defaults are used.</source>
        <translation>无法读取设置（{reason}），因此使用默认值。</translation>
    </message>
    <message>
        <source>Your settings file was damaged, so the defaults are used</source>
        <translation>设置文件已损坏，因此使用默认值</translation>
    </message>
    <message>
        <source>Some of your settings were not valid and were reset: {names}</source>
        <translation>部分设置无效，已重置：{names}</translation>
    </message>
    <message>
        <source>{what}. The old file is kept as {file}.</source>
        <translation>{what}。旧文件已保留为 {file}。</translation>
    </message>
    <message>
        <source>Your conversations were saved by a newer Banter, so this one leaves them alone: what you say now is kept only until you close the window.</source>
        <translation>你的对话由更新版本的 Banter 保存，因此此版本不会改动它们：现在说的内容只保留到关闭窗口为止。</translation>
    </message>
    <message>
        <source>This conversation is not being saved ({why}). Banter keeps it in memory: {then}.</source>
        <translation>此对话未能保存（{why}）。Banter 将其保留在内存中：{then}。</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>free some space and it is saved after all</source>
        <translation>释放一些空间后即会保存</translation>
    </message>
    <message>
        <source>another program is using the file</source>
        <translation>其他程序正在使用该文件</translation>
    </message>
    <message>
        <source>it is saved as soon as that one has finished</source>
        <translation>该程序结束后即会保存</translation>
    </message>
    <message>
        <source>it is saved as soon as that works again</source>
        <translation>恢复正常后即会保存</translation>
    </message>
    <message>
        <source>The file of your conversations was damaged: {saved}. It is kept as {file}.</source>
        <translation>对话文件已损坏：{saved}。原文件已保留为 {file}。</translation>
    </message>
    <message>
        <source>{count} messages could be saved from it</source>
        <translation>已从中恢复 {count} 条消息</translation>
    </message>
    <message>
        <source>one message could be saved from it</source>
        <translation>已从中恢复 1 条消息</translation>
    </message>
    <message>
        <source>nothing in it could be read</source>
        <translation>其中的内容都无法读取</translation>
    </message>
    <message>
        <source>The conversations kept so far could not be deleted: their file cannot be written.</source>
        <translation>无法删除已保留的对话：其文件不可写入。</translation>
    </message>
    <message>
        <source>The conversations kept so far could not be deleted ({error}).</source>
        <translation>无法删除已保留的对话（{error}）。</translation>
    </message>
    <message>
        <source>There is nothing to export yet: this conversation is empty.</source>
        <translation>还没有可导出的内容：此对话为空。</translation>
    </message>
    <message>
        <source>No sound was kept of this conversation: switch keeping it on for the next one.</source>
        <translation>此对话没有保留声音：请为下一次对话开启保留声音。</translation>
    </message>
    <message>
        <source>{file} could not be written: {reason}.</source>
        <translation>无法写入 {file}：{reason}。</translation>
    </message>
    <message>
        <source>{path} is a folder; give the name of a file to write.</source>
        <translation>{path} 是文件夹；请指定要写入的文件名。</translation>
    </message>
    <message>
        <source>There is no folder {folder}; create it first.</source>
        <translation>文件夹 {folder} 不存在；请先创建。</translation>
    </message>
    <message>
        <source>{path} cannot be written ({reason}); choose another place.</source>
        <translation>无法写入 {path}（{reason}）；请选择其他位置。</translation>
    </message>
    <message>
        <source>The file of your timers, reminders and notes was damaged: {saved}. It is kept as {file}.</source>
        <translation>计时器、提醒和笔记的文件已损坏：{saved}。原文件保留为 {file}。</translation>
    </message>
    <message>
        <source>{entries} and {notes} could be saved from it</source>
        <translation>从中救回了 {entries} 和 {notes}</translation>
    </message>
    <message>
        <source>A newer Banter keeps your timers and notes, so please update this one.</source>
        <translation>你的计时器和笔记由更新版本的 Banter 保存，请更新这个版本。</translation>
    </message>
    <message>
        <source>I could not save that because the disk is full, so please free some space.</source>
        <translation>磁盘已满，无法保存，请腾出一些空间。</translation>
    </message>
    <message>
        <source>Another program is using the file of your timers and notes. Please try again in a moment.</source>
        <translation>另一个程序正在使用计时器和笔记的文件，请稍后再试。</translation>
    </message>
    <message>
        <source>I could not use the file of your timers and notes, {reason}.</source>
        <translation>无法使用计时器和笔记的文件：{reason}。</translation>
    </message>
    <message>
        <source>The voice needs a name: type one.</source>
        <translation>音色需要名称：请输入一个。</translation>
    </message>
    <message>
        <source>The name is too long: use at most {most} characters.</source>
        <translation>名称太长：最多 {most} 个字符。</translation>
    </message>
    <message>
        <source>The name holds a comma, a full stop or a slash: leave it out.</source>
        <translation>名称中含有逗号、句点或斜杠：请去掉。</translation>
    </message>
    <message>
        <source>The voice cannot be saved as {path} ({reason}): choose another place.</source>
        <translation>无法将音色保存为 {path}（{reason}）：请选择其他位置。</translation>
    </message>
    <message>
        <source>{file} holds {count} voices, not one: import it instead.</source>
        <translation>{file} 含有 {count} 个音色而非一个：请改用导入。</translation>
    </message>
    <message>
        <source>{file} is not a voice file, or it is damaged: choose another one.</source>
        <translation>{file} 不是音色文件，或已损坏：请另选一个。</translation>
    </message>
    <message>
        <source>{file} holds something else than voices: choose a voice file.</source>
        <translation>{file} 的内容不是音色：请选择音色文件。</translation>
    </message>
    <message>
        <source>{file} holds no voice: choose another file.</source>
        <translation>{file} 中没有音色：请另选文件。</translation>
    </message>
    <message>
        <source>The voice {name} in {file} is damaged: make it again, or choose another file.</source>
        <translation>{file} 中的音色 {name} 已损坏：请重新制作，或另选文件。</translation>
    </message>
    <message>
        <source>{file} is not a file: choose a voice file.</source>
        <translation>{file} 不是文件：请选择音色文件。</translation>
    </message>
    <message>
        <source>{file} is too large for a voice: choose another file.</source>
        <translation>{file} 太大，不可能是音色：请另选文件。</translation>
    </message>
    <message>
        <source>There is no file {path}: check the name.</source>
        <translation>文件 {path} 不存在：请检查名称。</translation>
    </message>
    <message>
        <source>{file} cannot be read ({reason}): choose another file.</source>
        <translation>无法读取 {file}（{reason}）：请另选文件。</translation>
    </message>
    <message>
        <source>There is no voice of your own called {name}: look at the list.</source>
        <translation>你没有名为 {name} 的音色：请查看列表。</translation>
    </message>
    <message>
        <source>The voice {name} cannot be deleted ({reason}): try again.</source>
        <translation>无法删除音色 {name}（{reason}）：请重试。</translation>
    </message>
    <message>
        <source>There is a voice called {name} already: choose another name.</source>
        <translation>已有名为 {name} 的音色：请换一个名称。</translation>
    </message>
    <message>
        <source>The voice {name} does not fit this model{model}: choose another one.</source>
        <translation>音色 {name} 不适合此模型{model}：请另选一个。</translation>
    </message>
    <message>
        <source>This model cannot make voices: choose another model, or one of its own voices.</source>
        <translation>此模型不能制作音色：请选择其他模型，或它自带的音色。</translation>
    </message>
    <message>
        <source>There is not enough speech to make a voice from: use a longer clip.</source>
        <translation>语音不足以制作音色：请使用更长的录音。</translation>
    </message>
    <message>
        <source>reading the voices</source>
        <translation>读取音色</translation>
    </message>
    <message>
        <source>{path} has no sound in it; choose a recording of speech.</source>
        <translation>{path} 中没有声音；请选择语音录音。</translation>
    </message>
    <message>
        <source>{path} is longer than {most} seconds; cut out the part you need.</source>
        <translation>{path} 超过 {most} 秒；请截取需要的部分。</translation>
    </message>
    <message>
        <source>{path} is only {seconds} seconds long; speech needs at least {least} seconds.</source>
        <translation>{path} 只有 {seconds} 秒；语音至少需要 {least} 秒。</translation>
    </message>
    <message>
        <source>{path} contains samples that are not numbers; export the recording again.</source>
        <translation>{path} 中有无效的采样；请重新导出录音。</translation>
    </message>
    <message>
        <source>{path} is silent (nothing in it is louder than {level} dBFS); check the microphone and record again.</source>
        <translation>{path} 没有声音（全部低于 {level} dBFS）；请检查麦克风后重新录制。</translation>
    </message>
    <message>
        <source>{path} is a folder; choose a sound file.</source>
        <translation>{path} 是文件夹；请选择声音文件。</translation>
    </message>
    <message>
        <source>{path} is not a file; choose a sound file.</source>
        <translation>{path} 不是文件；请选择声音文件。</translation>
    </message>
    <message>
        <source>There is no file {path}; check the name.</source>
        <translation>文件 {path} 不存在；请检查名称。</translation>
    </message>
    <message>
        <source>{path} cannot be read ({reason}).</source>
        <translation>无法读取 {path}（{reason}）。</translation>
    </message>
    <message>
        <source>{path} is empty; choose a recording of speech.</source>
        <translation>{path} 是空文件；请选择语音录音。</translation>
    </message>
    <message>
        <source>{path} is not a sound file that can be read; choose another one.</source>
        <translation>{path} 不是可读取的声音文件；请另选一个。</translation>
    </message>
    <message>
        <source>{path} changes its sample rate midway; convert it to WAV first.</source>
        <translation>{path} 中途改变了采样率；请先转换为 WAV。</translation>
    </message>
    <message>
        <source>{path} has a rate of {rate} Hz; speech needs at least {least} Hz.</source>
        <translation>{path} 的采样率为 {rate} Hz；语音至少需要 {least} Hz。</translation>
    </message>
    <message>
        <source>From {model} on this computer</source>
        <translation>来自这台电脑上的 {model}</translation>
    </message>
    <message>
        <source>From {model} at {host}</source>
        <translation>来自 {host} 上的 {model}</translation>
    </message>
    <message>
        <source>This is no address of a chat program: write one like {address}.</source>
        <translation>这不是聊天程序的地址：请写成类似 {address} 的形式。</translation>
    </message>
    <message>
        <source>{host} is another computer: allow that in the settings, or use an address of this one.</source>
        <translation>{host} 是另一台电脑：请在设置中允许，或使用这台电脑的地址。</translation>
    </message>
    <message>
        <source>No larger model is chosen yet: choose one in the settings, or type its name there.</source>
        <translation>还没有选择更大的模型：请在设置中选择一个，或在那里输入它的名称。</translation>
    </message>
    <message>
        <source>The program at {address} has no model yet: load one there.</source>
        <translation>{address} 上的程序还没有模型：请在那里加载一个。</translation>
    </message>
    <message>
        <source>{model} answered after {seconds} s: {words}</source>
        <translation>{model} 在 {seconds} 秒后回答：{words}</translation>
    </message>
    <message>
        <source>{model} answered nothing that can be said: ask again, or choose another model.</source>
        <translation>{model} 的回答中没有可以说出来的内容：请再问一次，或选择其他模型。</translation>
    </message>
    <message>
        <source>Something went wrong while {model} answered: ask again.</source>
        <translation>{model} 回答时出了问题：请再问一次。</translation>
    </message>
    <message>
        <source>{address} does not answer in time: see whether the program there is well.</source>
        <translation>{address} 没有及时回应：请检查那里的程序是否正常。</translation>
    </message>
    <message>
        <source>{model} did not begin to answer in {seconds} seconds: ask again, or choose a smaller model.</source>
        <translation>{model} 在 {seconds} 秒内没有开始回答：请再问一次，或选择更小的模型。</translation>
    </message>
    <message>
        <source>{model} took too long, so the rest of its answer is left out: choose a smaller model.</source>
        <translation>{model} 用时过长，其余的回答已略去：请选择更小的模型。</translation>
    </message>
    <message>
        <source>The answer of {model} broke off: ask again, and see whether the program is well.</source>
        <translation>{model} 的回答中断了：请再问一次，并检查该程序是否正常。</translation>
    </message>
    <message>
        <source>Nothing answers at {address}: start the program there, or correct the address in the settings.</source>
        <translation>{address} 没有回应：请启动那里的程序，或在设置中更正地址。</translation>
    </message>
    <message>
        <source>The program at {address} wants a key, which Banter has none of: switch that off there.</source>
        <translation>{address} 上的程序需要密钥，而 Banter 没有：请在那里关闭这一要求。</translation>
    </message>
    <message>
        <source>The program at {address} has no model {model}: choose another one in the settings.</source>
        <translation>{address} 上的程序没有模型 {model}：请在设置中选择其他模型。</translation>
    </message>
    <message>
        <source>The program at {address} reports a fault of its own (error {number}): restart it, or ask again.</source>
        <translation>{address} 上的程序报告自身出错（错误 {number}）：请重新启动它，或再问一次。</translation>
    </message>
    <message>
        <source>The program at {address} refuses the question (error {number}): choose another model in the settings.</source>
        <translation>{address} 上的程序拒绝了这个问题（错误 {number}）：请在设置中选择其他模型。</translation>
    </message>
    <message>
        <source>What answers at {address} is no chat program: correct the address in the settings.</source>
        <translation>{address} 上的不是聊天程序：请在设置中更正地址。</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>磁盘空间不足</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有该文件或目录</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>只读文件系统</translation>
    </message>
    <message>
        <source>{folder} is no folder: choose the one that holds the model.</source>
        <translation>{folder} 不是文件夹：请选择放有模型的文件夹。</translation>
    </message>
    <message>
        <source>{model} is here already: remove it first to import another one.</source>
        <translation>{model} 已在本机：要导入另一个，请先删除它。</translation>
    </message>
    <message>
        <source>{path} cannot be read as a model&apos;s configuration: copy the model folder again.</source>
        <translation>{path} 无法作为模型配置读取：请重新复制模型文件夹。</translation>
    </message>
    <message>
        <source>{source} was not copied well: check the disk and try again.</source>
        <translation>{source} 未能正确复制：请检查磁盘后重试。</translation>
    </message>
    <message>
        <source>{folder} holds no model: config.json, tokenizer.json and the weights must be in one folder.</source>
        <translation>{folder} 中没有模型：config.json、tokenizer.json 和权重必须在同一个文件夹里。</translation>
    </message>
    <message>
        <source>{folder} holds several models ({names}): choose the folder of one of them.</source>
        <translation>{folder} 中有多个模型（{names}）：请选择其中一个的文件夹。</translation>
    </message>
    <message>
        <source>{folder} cannot be read ({reason}).</source>
        <translation>无法读取 {folder}（{reason}）。</translation>
    </message>
    <message>
        <source>{path} is damaged or incomplete: copy it again.</source>
        <translation>{path} 已损坏或不完整：请重新复制。</translation>
    </message>
    <message>
        <source>{part} is missing: put its folder, named {name}, into {folder}.</source>
        <translation>缺少 {part}：请把它的文件夹（名为 {name}）放入 {folder}。</translation>
    </message>
    <message>
        <source>{part} is incomplete: there is no {name}.</source>
        <translation>{part} 不完整：没有 {name}。</translation>
    </message>
    <message>
        <source>The list of models {path} cannot be used: {error}.</source>
        <translation>模型列表 {path} 无法使用：{error}。</translation>
    </message>
    <message>
        <source>{needed} of free disk space is needed, and {free} is there: make room and try again.</source>
        <translation>需要 {needed} 可用磁盘空间，现有 {free}：请腾出空间后重试。</translation>
    </message>
    <message>
        <source>There is no model {model}: `banter models` lists those that there are.</source>
        <translation>没有模型 {model}：`banter models` 会列出现有的模型。</translation>
    </message>
    <message>
        <source>There is no model {model} to download: `banter models` lists those that there are.</source>
        <translation>没有可下载的模型 {model}：`banter models` 会列出现有的模型。</translation>
    </message>
    <message>
        <source>{hub} sends from one address to the next without end: choose another mirror.</source>
        <translation>{hub} 不断地重定向：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} sends to an address that cannot be used: choose another mirror.</source>
        <translation>{hub} 指向了无法使用的地址：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} cannot be reached: check the network, or choose another mirror.</source>
        <translation>无法连接 {hub}：请检查网络，或选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} does not answer: check the network, or choose another mirror.</source>
        <translation>{hub} 没有应答：请检查网络，或选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} is too slow: try again later, or choose another mirror.</source>
        <translation>{hub} 太慢：请稍后再试，或选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} is busy ({status}): try again later.</source>
        <translation>{hub} 正忙（{status}）：请稍后再试。</translation>
    </message>
    <message>
        <source>{hub} refused to tell about {part} ({status}): choose another mirror.</source>
        <translation>{hub} 拒绝提供 {part} 的信息（{status}）：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} did not answer as a model hub does: choose another mirror.</source>
        <translation>{hub} 的应答不像模型站点：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} does not give {file} away ({status}): choose another mirror.</source>
        <translation>{hub} 不提供 {file}（{status}）：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} has no {file} ({status}): choose another mirror.</source>
        <translation>{hub} 没有 {file}（{status}）：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} has another {file} than the one that it announces: choose another mirror.</source>
        <translation>{hub} 上的 {file} 与它公布的不同：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{hub} sent a web page instead of {file}: log in to this network, or choose another mirror.</source>
        <translation>{hub} 发来的是网页而不是 {file}：请先登录此网络，或选择其他镜像。</translation>
    </message>
    <message>
        <source>The connection to {hub} was cut: check the network and try again.</source>
        <translation>与 {hub} 的连接中断：请检查网络后重试。</translation>
    </message>
    <message>
        <source>{file} differs from what was published: try again, or choose another mirror.</source>
        <translation>{file} 与发布的内容不同：请重试，或选择其他镜像。</translation>
    </message>
    <message>
        <source>The proxy of this computer cannot be used: {error}.</source>
        <translation>本机的代理无法使用：{error}。</translation>
    </message>
    <message>
        <source>{mirror} is no address of a mirror: it begins with https:// or http://.</source>
        <translation>{mirror} 不是镜像地址：地址应以 https:// 或 http:// 开头。</translation>
    </message>
    <message>
        <source>{part} was not found at {hub} ({status}): choose another mirror.</source>
        <translation>在 {hub} 上没有找到 {part}（{status}）：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{part} is not published at {hub}: choose another mirror.</source>
        <translation>{part} 没有在 {hub} 上发布：请选择其他镜像。</translation>
    </message>
    <message>
        <source>{repository} is no repository: correct it in the list of models.</source>
        <translation>{repository} 不是仓库：请在模型列表中更正。</translation>
    </message>
    <message>
        <source>Banter is to stay offline: allow it to use the network, or import the model from a folder.</source>
        <translation>Banter 设为保持离线：请允许它使用网络，或从文件夹导入模型。</translation>
    </message>
    <message>
        <source>The disk is full: free some space and try again; what is here already is kept.</source>
        <translation>磁盘已满：请腾出空间后重试；已下载的部分会保留。</translation>
    </message>
    <message>
        <source>{path} cannot be written ({reason}).</source>
        <translation>无法写入 {path}（{reason}）。</translation>
    </message>
    <message>
        <source>Something went wrong with the model ({detail}); please try again.</source>
        <translation>处理模型时出了问题（{detail}）；请重试。</translation>
    </message>
    <message>
        <source>{model} was not brought here by Banter, so there is nothing to compare it with.</source>
        <translation>{model} 不是由 Banter 放到这里的，因此无从比对。</translation>
    </message>
    <message>
        <source>The starter belongs to Banter and stays.</source>
        <translation>入门模型是 Banter 的一部分，不能删除。</translation>
    </message>
    <message>
        <source>Another Banter is busy with the models: wait until it has finished.</source>
        <translation>另一个 Banter 正在处理模型：请等它完成。</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Hide the conversations (F9)</source>
        <translation>隐藏对话列表 (F9)</translation>
    </message>
    <message>
        <source>Hide the conversations</source>
        <translation>隐藏对话列表</translation>
    </message>
    <message>
        <source>New conversation (Ctrl+N)</source>
        <translation>新对话 (Ctrl+N)</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search in all conversations</source>
        <translation>在所有对话中搜索</translation>
    </message>
    <message>
        <source>Search in all conversations (Ctrl+F)</source>
        <translation>在所有对话中搜索 (Ctrl+F)</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>What you had Banter write down (Ctrl+Shift+N)</source>
        <translation>你让 Banter 记下的内容 (Ctrl+Shift+N)</translation>
    </message>
    <message>
        <source>How long conversations are kept</source>
        <translation>对话保留多久</translation>
    </message>
    <message>
        <source>Nothing found for “{words}”.</source>
        <translation>没有找到“{words}”。</translation>
    </message>
    <message>
        <source>What you talk about is listed here.</source>
        <translation>你的对话会列在这里。</translation>
    </message>
    <message>
        <source>Kept for ever, on this computer</source>
        <translation>永久保留在这台电脑上</translation>
    </message>
    <message>
        <source>Kept for 30 days</source>
        <translation>保留 30 天</translation>
    </message>
    <message>
        <source>Kept for 7 days</source>
        <translation>保留 7 天</translation>
    </message>
    <message>
        <source>Kept until Banter closes</source>
        <translation>保留到 Banter 关闭</translation>
    </message>
    <message>
        <source>Keep conversations for ever</source>
        <translation>永久保留对话</translation>
    </message>
    <message>
        <source>Keep them for 30 days</source>
        <translation>保留 30 天</translation>
    </message>
    <message>
        <source>Keep them for 7 days</source>
        <translation>保留 7 天</translation>
    </message>
    <message>
        <source>Keep nothing when Banter closes</source>
        <translation>Banter 关闭后不保留</translation>
    </message>
    <message>
        <source>Keep the sound of new answers too</source>
        <translation>同时保留新回答的声音</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Markdown, to read</source>
        <translation>Markdown，便于阅读</translation>
    </message>
    <message>
        <source>JSON, for programs</source>
        <translation>JSON，供程序使用</translation>
    </message>
    <message>
        <source>Sound of the answers</source>
        <translation>回答的声音</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>SoundCheck</name>
    <message>
        <source>Listening to the room: please be quiet for a moment…</source>
        <translation>正在听取房间声音：请安静片刻…</translation>
    </message>
    <message>
        <source>Playing the test sound…</source>
        <translation>正在播放测试声音…</translation>
    </message>
    <message>
        <source>Working it out…</source>
        <translation>正在分析…</translation>
    </message>
    <message>
        <source>No microphone is open: plug one in or choose another one above.</source>
        <translation>没有打开的麦克风：请接上麦克风，或在上方另选一个。</translation>
    </message>
    <message>
        <source>No speaker is open: plug one in or choose another one above.</source>
        <translation>没有打开的扬声器：请接上扬声器，或在上方另选一个。</translation>
    </message>
    <message>
        <source>The answers are muted: unmute them or turn the volume up, then check again.</source>
        <translation>回答已静音：请取消静音或调高音量，然后重新检查。</translation>
    </message>
    <message>
        <source>The microphone delivers nothing: close other programs that use it, and let Banter use it in the privacy settings of your system.</source>
        <translation>麦克风没有任何输入：请关闭正在使用它的其他程序，并在系统的隐私设置中允许 Banter 使用它。</translation>
    </message>
    <message>
        <source>The microphone gives no sound at all: check that it is not muted, at the device or in your system, and that Banter may use it.</source>
        <translation>麦克风完全没有声音：请确认设备和系统中都没有将它静音，并且允许 Banter 使用它。</translation>
    </message>
    <message>
        <source>The test sound was cut off: check again and let it play to its end.</source>
        <translation>测试声音被中断：请重新检查，并让它播放完。</translation>
    </message>
    <message>
        <source>Open microphone, also during answers</source>
        <translation>常开麦克风，回答时也聆听</translation>
    </message>
    <message>
        <source>Open microphone, but not during answers</source>
        <translation>常开麦克风，回答时不聆听</translation>
    </message>
    <message>
        <source>Talk button</source>
        <translation>说话按钮</translation>
    </message>
    <message>
        <source>Your microphone does not hear the speaker, as with headphones, so you can just speak, even over an answer. If you did not hear the test sound, turn the volume up or choose another speaker, and check again.</source>
        <translation>麦克风听不到扬声器的声音（例如使用耳机时），因此你可以直接说话，回答过程中也能插话。如果你没有听到测试声音，请调高音量或另选扬声器，然后重新检查。</translation>
    </message>
    <message>
        <source>Your microphone hears the speaker, but that echo can be taken out. So you can just speak, even over an answer.</source>
        <translation>麦克风能听到扬声器的声音，但回声可以消除。因此你可以直接说话，回答过程中也能插话。</translation>
    </message>
    <message>
        <source>Too much of the speaker stays in your microphone, and Banter would interrupt itself. So you just speak, but it does not listen during its answers; press Esc to stop one.</source>
        <translation>麦克风中残留的扬声器声音过多，Banter 会打断自己。因此你可以直接说话，但它在回答时不聆听；按 Esc 可停止回答。</translation>
    </message>
    <message>
        <source>Your microphone hears the speaker, and the echo canceller does not run on this computer. So you just speak, but Banter does not listen during its answers; press Esc to stop one.</source>
        <translation>麦克风能听到扬声器的声音，而回声消除无法在这台电脑上运行。因此你可以直接说话，但 Banter 在回答时不聆听；按 Esc 可停止回答。</translation>
    </message>
    <message>
        <source>It is so loud around you ({noise}) that Banter could not tell when you have finished. With the button, you tell it.</source>
        <translation>你周围太吵（{noise}），Banter 无法判断你何时说完。使用按钮，就由你来告诉它。</translation>
    </message>
    <message>
        <source>Others can be heard around you, and Banter would answer them. With the button, it does not.</source>
        <translation>你周围有其他人在说话，Banter 会回答他们。使用按钮就不会。</translation>
    </message>
    <message>
        <source>Noise in the room</source>
        <translation>房间噪声</translation>
    </message>
    <message>
        <source>Echo of the speaker</source>
        <translation>扬声器回声</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>From the speaker to the microphone</source>
        <translation>从扬声器到麦克风</translation>
    </message>
    <message>
        <source>{ms} ms</source>
        <translation>{ms} 毫秒</translation>
    </message>
    <message>
        <source>the canceller does not run</source>
        <translation>回声消除未运行</translation>
    </message>
    <message>
        <source>{level} dB taken out</source>
        <translation>已消除 {level} dB</translation>
    </message>
    <message>
        <source>Left after the echo canceller</source>
        <translation>回声消除后残留</translation>
    </message>
    <message>
        <source>{level} ({words})</source>
        <translation>{level}（{words}）</translation>
    </message>
    <message>
        <source>{level} dB</source>
        <translation>{level} dB</translation>
    </message>
    <message>
        <source>very quiet</source>
        <translation>非常安静</translation>
    </message>
    <message>
        <source>quiet</source>
        <translation>安静</translation>
    </message>
    <message>
        <source>audible</source>
        <translation>可听见</translation>
    </message>
    <message>
        <source>loud</source>
        <translation>嘈杂</translation>
    </message>
</context>
<context>
    <name>SoundCheckWindow</name>
    <message>
        <source>Sound check</source>
        <translation>声音检查</translation>
    </message>
    <message>
        <source>How do you talk best here?</source>
        <translation>在这里怎样说话最合适？</translation>
    </message>
    <message>
        <source>Banter listens to the room for two seconds and then plays a chirp and a soft rushing, as loud as its answers, for six. Nothing of it is kept.</source>
        <translation>Banter 先听两秒房间的声音，然后以回答的音量播放六秒的扫频音和轻柔的沙沙声。这些声音都不会保留。</translation>
    </message>
    <message>
        <source>Check the &amp;sound</source>
        <translation>检查声音(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Use this</source>
        <translation>采用(&amp;U)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>That did not work</source>
        <translation>未能完成</translation>
    </message>
    <message>
        <source>{way}: as you have it</source>
        <translation>{way}：与当前设置相同</translation>
    </message>
    <message>
        <source>No microphone is being heard.</source>
        <translation>没有听到麦克风的声音。</translation>
    </message>
    <message>
        <source>The microphone is silent.</source>
        <translation>麦克风没有声音。</translation>
    </message>
    <message>
        <source>Say something: the bars should move.</source>
        <translation>请说句话：音量条应该会动。</translation>
    </message>
    <message>
        <source>Your microphone hears something.</source>
        <translation>麦克风听到了声音。</translation>
    </message>
    <message>
        <source>Check &amp;again</source>
        <translation>重新检查(&amp;A)</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>音量</translation>
    </message>
</context>
<context>
    <name>SoundPage</name>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>&amp;Microphone</source>
        <translation>麦克风(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Speaker</source>
        <translation>扬声器(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Check the sound…</source>
        <translation>检查声音(&amp;C)…</translation>
    </message>
    <message>
        <source>Finds out how you talk best here; nothing sounds before you start it</source>
        <translation>找出最适合这里的说话方式；在你开始之前不会发出声音</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>&amp;Volume</source>
        <translation>音量(&amp;V)</translation>
    </message>
    <message>
        <source>Volume</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>M&amp;ute the answers</source>
        <translation>将回答静音(&amp;U)</translation>
    </message>
    <message>
        <source>They can still be read.</source>
        <translation>仍可阅读回答的文字。</translation>
    </message>
    <message>
        <source>What the microphone hears</source>
        <translation>麦克风听到的声音</translation>
    </message>
    <message>
        <source>Cancel the &amp;echo of the loudspeakers</source>
        <translation>消除扬声器回声(&amp;E)</translation>
    </message>
    <message>
        <source>Suppress steady &amp;noise</source>
        <translation>抑制持续噪声(&amp;N)</translation>
    </message>
    <message>
        <source>For fans and traffic. It costs a little of your voice. Needs the echo canceller.</source>
        <translation>适用于风扇和车流声，会略微影响你的声音。需要开启回声消除。</translation>
    </message>
    <message>
        <source>It cannot be done here: {reason}.</source>
        <translation>此处无法使用：{reason}。</translation>
    </message>
    <message>
        <source>So that you can speak over an answer. Without it, Banter does not listen while it speaks.</source>
        <translation>让你能在回答过程中插话。关闭时，Banter 在说话时不聆听。</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>The model is not running</source>
        <translation>模型没有运行</translation>
    </message>
    <message>
        <source>Listening</source>
        <translation>正在聆听</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>正在思考</translation>
    </message>
    <message>
        <source>Press Esc to stop</source>
        <translation>按 Esc 停止</translation>
    </message>
    <message>
        <source>Working on it</source>
        <translation>正在处理</translation>
    </message>
    <message>
        <source>Ringing</source>
        <translation>正在响铃</translation>
    </message>
    <message>
        <source>Say “stop”, or press Esc</source>
        <translation>说 “stop”，或按 Esc</translation>
    </message>
    <message>
        <source>Speaking</source>
        <translation>正在回答</translation>
    </message>
    <message>
        <source>That did not work</source>
        <translation>未能完成</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Type your question below</source>
        <translation>请在下方输入问题</translation>
    </message>
    <message>
        <source>Ready, microphone muted</source>
        <translation>就绪，麦克风已静音</translation>
    </message>
    <message>
        <source>Unmute to talk, or type</source>
        <translation>取消静音后说话，或输入问题</translation>
    </message>
    <message>
        <source>Ready, microphone open</source>
        <translation>就绪，麦克风已开启</translation>
    </message>
    <message>
        <source>Just speak</source>
        <translation>直接说话即可</translation>
    </message>
    <message>
        <source>Press Space to talk, or type</source>
        <translation>按空格键说话，或输入问题</translation>
    </message>
    <message>
        <source>Hold Space to talk, or type</source>
        <translation>按住空格键说话，或输入问题</translation>
    </message>
    <message>
        <source>Pause when you have finished</source>
        <translation>说完后停顿一下即可</translation>
    </message>
    <message>
        <source>Press again when you have finished</source>
        <translation>说完后再按一下</translation>
    </message>
    <message>
        <source>Let go when you have finished</source>
        <translation>说完后松开</translation>
    </message>
    <message>
        <source>Not listening meanwhile: {reason}. Press Esc to stop</source>
        <translation>此时不聆听：{reason}。按 Esc 停止</translation>
    </message>
    <message>
        <source>Speak over it or press Esc to stop</source>
        <translation>直接插话，或按 Esc 停止</translation>
    </message>
    <message>
        <source>You can look around meanwhile</source>
        <translation>你可以先随意看看</translation>
    </message>
    <message>
        <source>Loading the model… {percent} %</source>
        <translation>正在加载模型… {percent}%</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
</context>
<context>
    <name>StudioWindow</name>
    <message>
        <source>Voice studio</source>
        <translation>音色工作室</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>A sound file: wav, mp3, m4a, ogg or flac (Ctrl+O)</source>
        <translation>声音文件：wav、mp3、m4a、ogg 或 flac (Ctrl+O)</translation>
    </message>
    <message>
        <source>How the voice is called in the menu</source>
        <translation>音色在菜单中的名称</translation>
    </message>
    <message>
        <source>Name of the voice</source>
        <translation>音色名称</translation>
    </message>
    <message>
        <source>This is my voice, or I have the speaker&apos;s permission.</source>
        <translation>这是我本人的声音，或者我已获得说话者的许可。</translation>
    </message>
    <message>
        <source>A: the recording</source>
        <translation>A：录音</translation>
    </message>
    <message>
        <source>B: the voice made from it</source>
        <translation>B：由录音制作的音色</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Take in a voice file, or a voices.pt of MiniMind-O</source>
        <translation>导入音色文件，或 MiniMind-O 的 voices.pt</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Save this voice as a file to take elsewhere</source>
        <translation>将此音色另存为文件，以便在别处使用</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Save the voice</source>
        <translation>保存音色</translation>
    </message>
    <message>
        <source>{seconds} s left</source>
        <translation>剩余 {seconds} 秒</translation>
    </message>
    <message>
        <source>Stop the recording</source>
        <translation>停止播放录音</translation>
    </message>
    <message>
        <source>Stop the voice</source>
        <translation>停止播放音色</translation>
    </message>
    <message>
        <source>Listen to the recording</source>
        <translation>播放录音</translation>
    </message>
    <message>
        <source>Listen to the voice made from it</source>
        <translation>播放由录音制作的音色</translation>
    </message>
    <message>
        <source>1. A few seconds of speech</source>
        <translation>1. 几秒钟的语音</translation>
    </message>
    <message>
        <source>Read this aloud, or anything you like: “The old boat left the harbour before dawn, and by noon the wind had turned. We shared the last of the bread and watched the shore go by.”</source>
        <translation>请朗读这段话，或任何你喜欢的内容：“天还没亮，那条旧船就离开了港口；到了中午，风向变了。我们分吃了最后一点面包，看着海岸慢慢远去。”</translation>
    </message>
    <message>
        <source>&amp;Microphone</source>
        <translation>麦克风(&amp;M)</translation>
    </message>
    <message>
        <source>2. Your voice</source>
        <translation>2. 你的音色</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>The recording is not kept. The voice stays on this computer unless you export it.</source>
        <translation>录音不会保留。除非你导出，音色只留在这台电脑上。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Record again</source>
        <translation>重新录音</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>录音</translation>
    </message>
    <message>
        <source>Put the voice into the menu</source>
        <translation>将音色加入菜单</translation>
    </message>
    <message>
        <source>To save it, tick that you have permission.</source>
        <translation>要保存，请勾选已获得许可。</translation>
    </message>
    <message>
        <source>To save it, give it a name.</source>
        <translation>要保存，请先命名。</translation>
    </message>
    <message>
        <source>To save it, give it a name and tick that you have permission.</source>
        <translation>要保存，请先命名并勾选已获得许可。</translation>
    </message>
</context>
<context>
    <name>StudioWork</name>
    <message>
        <source>The model is being loaded; a voice can be made when it is ready.</source>
        <translation>模型正在加载；就绪后即可制作音色。</translation>
    </message>
    <message>
        <source>The model {name} cannot make new voices: choose another model to make one.</source>
        <translation>模型 {name} 不能制作新音色：请选择其他模型来制作。</translation>
    </message>
    <message>
        <source>Listening to {file}…</source>
        <translation>正在听取 {file}…</translation>
    </message>
    <message>
        <source>Nothing was recorded: press Record, speak for some seconds, and press Stop.</source>
        <translation>没有录到声音：请按“录音”，说几秒钟，然后按“停止”。</translation>
    </message>
    <message>
        <source>Listening to the recording…</source>
        <translation>正在听取录音…</translation>
    </message>
    <message>
        <source>There is not enough memory for this clip: choose a shorter one.</source>
        <translation>内存不足以处理这段录音：请选择更短的。</translation>
    </message>
    <message>
        <source>Making the voice…</source>
        <translation>正在制作音色…</translation>
    </message>
    <message>
        <source>Choose a recording of the voice</source>
        <translation>选择声音的录音</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Saved as {file}.</source>
        <translation>已保存为 {file}。</translation>
    </message>
    <message>
        <source>Export the voice</source>
        <translation>导出音色</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>音色</translation>
    </message>
</context>
<context>
    <name>TalkingPage</name>
    <message>
        <source>Hold to talk</source>
        <translation>按住说话</translation>
    </message>
    <message>
        <source>Hold the button or Space while you speak</source>
        <translation>说话时按住按钮或空格键</translation>
    </message>
    <message>
        <source>Press to talk</source>
        <translation>点按说话</translation>
    </message>
    <message>
        <source>Press the button or Space before and after</source>
        <translation>说话前后各按一下按钮或空格键</translation>
    </message>
    <message>
        <source>Open microphone</source>
        <translation>常开麦克风</translation>
    </message>
    <message>
        <source>Just speak: it notices when you have finished</source>
        <translation>直接说话：它会察觉你何时说完</translation>
    </message>
    <message>
        <source>&amp;How you talk</source>
        <translation>说话方式(&amp;H)</translation>
    </message>
    <message>
        <source>With the open microphone</source>
        <translation>使用常开麦克风时</translation>
    </message>
    <message>
        <source>Quick</source>
        <translation>快</translation>
    </message>
    <message>
        <source>For short questions, one after the other</source>
        <translation>适合连续的简短提问</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>For most people</source>
        <translation>适合大多数人</translation>
    </message>
    <message>
        <source>Slow speaker</source>
        <translation>慢</translation>
    </message>
    <message>
        <source>For whoever likes to think while speaking</source>
        <translation>适合喜欢边想边说的人</translation>
    </message>
    <message>
        <source>&amp;Patience at the end</source>
        <translation>判断说完的快慢(&amp;P)</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>低</translation>
    </message>
    <message>
        <source>For rooms where others talk, too</source>
        <translation>适合有其他人说话的房间</translation>
    </message>
    <message>
        <source>For most rooms</source>
        <translation>适合大多数房间</translation>
    </message>
    <message>
        <source>High</source>
        <translation>高</translation>
    </message>
    <message>
        <source>For quiet rooms and headphones</source>
        <translation>适合安静的房间或使用耳机</translation>
    </message>
    <message>
        <source>How easily you &amp;interrupt</source>
        <translation>打断的灵敏度(&amp;I)</translation>
    </message>
    <message>
        <source>Just speak. Banter answers when you pause.</source>
        <translation>直接说话，停顿时 Banter 就会回答。</translation>
    </message>
    <message>
        <source>Press Space or the button, speak, and press again.</source>
        <translation>按一下空格键或按钮，说话，再按一下。</translation>
    </message>
    <message>
        <source>Hold Space or the button while you speak.</source>
        <translation>说话时按住空格键或按钮。</translation>
    </message>
    <message>
        <source>It answers after {seconds} s of silence, sooner after a whole sentence.</source>
        <translation>静默 {seconds} 秒后回答；说完一整句后会更快。</translation>
    </message>
    <message>
        <source>It pauses after {seconds} s of your voice, and goes on if that was only an “mm-hm”.</source>
        <translation>听到你说话 {seconds} 秒后暂停；如果只是“嗯”一声，则继续回答。</translation>
    </message>
</context>
<context>
    <name>Thumbnail</name>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Day of the week</source>
        <translation>星期几</translation>
    </message>
    <message>
        <source>Timer</source>
        <translation>计时器</translation>
    </message>
    <message>
        <source>Your timers</source>
        <translation>你的计时器</translation>
    </message>
    <message>
        <source>Cancel a timer</source>
        <translation>取消计时器</translation>
    </message>
    <message>
        <source>Alarm</source>
        <translation>闹钟</translation>
    </message>
    <message>
        <source>Reminder</source>
        <translation>提醒</translation>
    </message>
    <message>
        <source>Your reminders</source>
        <translation>你的提醒</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Your notes</source>
        <translation>你的笔记</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单位换算</translation>
    </message>
    <message>
        <source>Coin</source>
        <translation>抛硬币</translation>
    </message>
    <message>
        <source>Dice</source>
        <translation>骰子</translation>
    </message>
    <message>
        <source>Random number</source>
        <translation>随机数</translation>
    </message>
    <message>
        <source>Weather</source>
        <translation>天气</translation>
    </message>
    <message>
        <source>Volume</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>Player</source>
        <translation>播放器</translation>
    </message>
    <message>
        <source>Open an application</source>
        <translation>打开应用</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>这台电脑</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>音色</translation>
    </message>
    <message>
        <source>Larger model</source>
        <translation>更大的模型</translation>
    </message>
    <message>
        <source>Dictionary</source>
        <translation>词典</translation>
    </message>
    <message>
        <source>Working…</source>
        <translation>处理中…</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Did not work</source>
        <translation>未成功</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Asked back</source>
        <translation>已反问</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Earlier messages are not shown here, but search and export have them.</source>
        <translation>更早的消息不在此显示，但可通过搜索和导出查看。</translation>
    </message>
    <message>
        <source>Go to the latest message (End)</source>
        <translation>转到最新消息 (End)</translation>
    </message>
    <message>
        <source>Go to the latest message</source>
        <translation>转到最新消息</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>&amp;Talk</source>
        <translation>说话(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Open microphone</source>
        <translation>常开麦克风(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Mute the microphone</source>
        <translation>将麦克风静音(&amp;M)</translation>
    </message>
    <message>
        <source>Show the &amp;window</source>
        <translation>显示窗口(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>设置(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Banter: {state}</source>
        <translation>Banter：{state}</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Send what I said</source>
        <translation>发送我说的话(&amp;S)</translation>
    </message>
    <message>
        <source>Banter keeps running</source>
        <translation>Banter 仍在运行</translation>
    </message>
    <message>
        <source>Its icon in the tray brings the window back; Quit in the icon&apos;s menu ends it.</source>
        <translation>点击托盘图标可重新打开窗口；在图标菜单中选择“退出”可结束运行。</translation>
    </message>
</context>
<context>
    <name>UndoBar</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Deleted “{title}”</source>
        <translation>已删除“{title}”</translation>
    </message>
</context>
<context>
    <name>VoiceButton</name>
    <message>
        <source>Whose voice answers</source>
        <translation>选择回答所用的音色</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>音色</translation>
    </message>
    <message>
        <source>Voice: {voice}</source>
        <translation>音色：{voice}</translation>
    </message>
</context>
<context>
    <name>VoiceCoach</name>
    <message>
        <source>Only {value} s of speech were found: speak for at least {least} seconds.</source>
        <translation>只找到 {value} 秒的语音：请至少说 {least} 秒。</translation>
    </message>
    <message>
        <source>{value} s of speech can do, but {least} seconds or more sound better.</source>
        <translation>{value} 秒的语音可以用，但 {least} 秒以上效果更好。</translation>
    </message>
    <message>
        <source>{whole} s of speech are plenty: only the best part is used.</source>
        <translation>{whole} 秒的语音很充足：只使用最好的部分。</translation>
    </message>
    <message>
        <source>{value} s of speech: long enough.</source>
        <translation>{value} 秒的语音：足够长。</translation>
    </message>
    <message>
        <source>Too quiet: speak closer to the microphone, or turn its level up.</source>
        <translation>声音太小：请离麦克风近一些，或调高麦克风音量。</translation>
    </message>
    <message>
        <source>Rather quiet: a little closer to the microphone would be better.</source>
        <translation>声音偏小：离麦克风再近一点会更好。</translation>
    </message>
    <message>
        <source>Loud enough.</source>
        <translation>音量足够。</translation>
    </message>
    <message>
        <source>Overdriven: move away from the microphone, or turn its level down.</source>
        <translation>声音过载：请离麦克风远一些，或调低麦克风音量。</translation>
    </message>
    <message>
        <source>Some peaks seem cut off: speak a little more softly, or step back.</source>
        <translation>部分峰值似乎被削平：请说得轻一些，或离远一点。</translation>
    </message>
    <message>
        <source>No peaks are cut off.</source>
        <translation>没有峰值被削平。</translation>
    </message>
    <message>
        <source>Very noisy: choose a quiet room, and switch off fans and music.</source>
        <translation>噪声很大：请选择安静的房间，并关掉风扇和音乐。</translation>
    </message>
    <message>
        <source>Some noise behind the voice: a quieter place would be better.</source>
        <translation>背景有些噪声：更安静的地方会更好。</translation>
    </message>
    <message>
        <source>Quiet behind the voice.</source>
        <translation>背景安静。</translation>
    </message>
    <message>
        <source>No speech was heard: choose a clip in which somebody speaks.</source>
        <translation>没有听到语音：请选择有人说话的录音。</translation>
    </message>
    <message>
        <source>Long silences: speak without a break, such as by reading aloud.</source>
        <translation>停顿过长：请连续说话，例如朗读一段文字。</translation>
    </message>
    <message>
        <source>No long silences.</source>
        <translation>没有长时间停顿。</translation>
    </message>
    <message>
        <source>There seem to be two voices: use a clip of one person alone.</source>
        <translation>似乎有两个人的声音：请使用只有一个人说话的录音。</translation>
    </message>
    <message>
        <source>One voice, as far as can be told.</source>
        <translation>应该只有一个人的声音。</translation>
    </message>
</context>
<context>
    <name>VoicePanel</name>
    <message>
        <source>Voices</source>
        <translation>音色</translation>
    </message>
    <message>
        <source>New voice…</source>
        <translation>新建音色…</translation>
    </message>
    <message>
        <source>Make a voice from a recording</source>
        <translation>用录音制作音色</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Take in a voice file, or a voices.pt of MiniMind-O</source>
        <translation>导入音色文件，或 MiniMind-O 的 voices.pt</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>你的音色</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
</context>
<context>
    <name>VoiceRow</name>
    <message>
        <source>Rename, export or delete {voice}</source>
        <translation>重命名、导出或删除 {voice}</translation>
    </message>
    <message>
        <source>Stop the preview of {voice}</source>
        <translation>停止试听 {voice}</translation>
    </message>
    <message>
        <source>Listen to {voice}</source>
        <translation>试听 {voice}</translation>
    </message>
    <message>
        <source>{voice}, chosen</source>
        <translation>{voice}，已选择</translation>
    </message>
</context>
<context>
    <name>Voices</name>
    <message>
        <source>{voice} answers from now on.</source>
        <translation>今后由 {voice} 回答。</translation>
    </message>
    <message>
        <source>Import voices</source>
        <translation>导入音色</translation>
    </message>
    <message>
        <source>Voices</source>
        <translation>音色</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Taken into your voices: {names}.</source>
        <translation>已加入你的音色：{names}。</translation>
    </message>
    <message>
        <source>Taken into your voices: {names}. They are for another model, and show up with it.</source>
        <translation>已加入你的音色：{names}。它们属于其他模型，使用该模型时才会显示。</translation>
    </message>
    <message>
        <source>Saved as {file}.</source>
        <translation>已保存为 {file}。</translation>
    </message>
    <message>
        <source>Rename the voice</source>
        <translation>重命名音色</translation>
    </message>
    <message>
        <source>New name of {voice}</source>
        <translation>{voice} 的新名称</translation>
    </message>
    <message>
        <source>Delete the voice {voice}?</source>
        <translation>删除音色 {voice} 吗？</translation>
    </message>
    <message>
        <source>Its file is deleted, and this cannot be undone. Export it first to keep it.</source>
        <translation>其文件会被删除，且无法撤销。如需保留，请先导出。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>Waveform</name>
    <message>
        <source>The clip</source>
        <translation>录音</translation>
    </message>
    <message>
        <source>There is no clip yet</source>
        <translation>还没有录音</translation>
    </message>
    <message>
        <source>The voice is made from second {first} to {last} of {all}; the arrow keys move this part</source>
        <translation>音色取自全长 {all} 秒中的第 {first} 至 {last} 秒；可用方向键移动这一部分</translation>
    </message>
    <message>
        <source>Record yourself, or drop a sound file here</source>
        <translation>录下你的声音，或将声音文件拖到这里</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Or try one of these</source>
        <translation>或者试试这些问题（自带的模型只懂英语）</translation>
    </message>
    <message>
        <source>Ask: {question}</source>
        <translation>提问：{question}</translation>
    </message>
    <message>
        <source>Press Space and ask</source>
        <translation>按空格键提问</translation>
    </message>
    <message>
        <source>Speak, press it again when you have finished, and Banter answers aloud.</source>
        <translation>说话，说完后再按一下，Banter 就会用语音回答。</translation>
    </message>
    <message>
        <source>Hold Space and ask</source>
        <translation>按住空格键提问</translation>
    </message>
    <message>
        <source>Speak while you hold it, let go when you have finished, and Banter answers aloud.</source>
        <translation>按住时说话，说完后松开，Banter 就会用语音回答。</translation>
    </message>
    <message>
        <source>You can cut in at any time, type instead, or switch to the open microphone.</source>
        <translation>你可以随时插话，也可以改为打字，或切换到常开麦克风。</translation>
    </message>
    <message>
        <source>{how} {also}</source>
        <translation>{how}{also}</translation>
    </message>
    <message>
        <source>What&apos;s the capital of France?</source>
        <extracomment>The bundled model understands English only: leave its questions as they are.</extracomment>
        <translation>What&apos;s the capital of France?</translation>
    </message>
    <message>
        <source>Tell me a joke</source>
        <translation>Tell me a joke</translation>
    </message>
    <message>
        <source>How often is there a full moon?</source>
        <translation>How often is there a full moon?</translation>
    </message>
    <message>
        <source>I&apos;m bored, what can I do?</source>
        <translation>I&apos;m bored, what can I do?</translation>
    </message>
    <message>
        <source>How are you?</source>
        <translation>How are you?</translation>
    </message>
</context>
</TS>
