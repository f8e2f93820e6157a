package screen

import (
	"slices"
	"strings"
)

// phrase is a pattern of words that steer a model: a word of each part, in any order and close
// together. A word ends in * if letters may follow it, and begins with ^ if it begins a line but
// the first.
type phrase struct {
	kind  FlagKind
	parts []string // each a list of words, separated by commas
}

// parse sets what an entry of a list says.
func (p *phrasePart) parse(entry string) {
	p.word = entry
	if w, ok := strings.CutSuffix(p.word, "*"); ok {
		p.word, p.prefix = w, true
	}
	if w, ok := strings.CutPrefix(p.word, "^"); ok {
		p.word, p.atLineStart = w, true
	}
}

// splitWords splits a list at its commas.
func splitWords(list string) []string {
	words := strings.Split(list, ",")
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
	}
	return words
}

// cases returns a word as it is written: a matcher ignores the case of ASCII letters only.
func cases(word string) []string {
	lower := strings.ToLower(word)
	if isASCII(lower) {
		return []string{lower}
	}
	asciiLower := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r - 'A' + 'a'
			}
			return r
		}, s)
	}
	first := []rune(lower)
	title := strings.ToUpper(string(first[0])) + string(first[1:])
	list := []string{lower, asciiLower(title), asciiLower(strings.ToUpper(lower))}
	slices.Sort(list)
	return slices.Compact(list)
}

// phrases returns the table.
func phrases() []phrase {
	return slices.Concat(overrides(), requests(), []phrase{
		{FlagRole, []string{`<|im_start|>, <|im_end|>, <|system|>, <|user|>, <|assistant|>, <|endoftext|>, <|start_header_id|>, <|end_header_id|>, <|eot_id|>,
			<|begin_of_text|>, [inst], [/inst], <<sys>>, <</sys>>, <start_of_turn>, <end_of_turn>, <system>, </system>, <system-reminder>, </system-reminder>, <system-prompt>,
			</system-prompt>, <assistant>, </assistant>, <human>, </human>, <developer>, </developer>, <instructions>, </instructions>, <|channel|>, <|message|>, [system], [/system],
			### instruction, ### system, ^system:, ^assistant:, ^human:, ^developer:, ^system message:, ^system prompt:, begin system prompt, end of system prompt, end of memory, end of context`}},
		{FlagToolCall, []string{`<tool_call>, <function_calls>, <function_results>, </function_results>, <tool_result>, </tool_result>, <tool_use>, <invoke name=, </invoke>,
			"tool_calls", "function_call", "tool_use", "tool_result", <|tool_call|>, <|python_tag|>, [tool_calls], <function=, tools/call, to=functions.`}},
	})
}

// overrides are attempts to replace the instructions of a model, by language.
func overrides() []phrase {
	list := []phrase{{FlagOverride, []string{`new system prompt, you are now a*, you are now in, you are now the, from now on you, your new task is, your real task is, your only task is, your new instructions,
		new instructions:, system override, do anything now, act as if you have no, instructions for the ai, note to ai*, attention ai*, if you are an ai, if you are a language model, if you are an llm,
		ai assistants must, ai agents must, the assistant must now, you must now, override your, bypass your`}}}
	for _, l := range [][3]string{
		{ // English
			"ignore, ignoring, disregard, disregarding, forget, override, bypass, discard, do not follow, don't follow, stop following, do not obey, pay no attention, skip over",
			"previous*, prior, above, earlier, preceding, foregoing, your, system, you were, you have, so far, before this, up to now, every, all instructions, all the instructions, any instructions, original",
			"instruction*, prompt, prompts, rules, guideline*, directive*, commands, training, restrictions, guardrail*, constraints, told, orders, programming",
		},
		{ // German
			"ignorier*, vergiss, vergesst, vergessen, missacht*, missachte, überschreib*, befolge nicht, nicht mehr befolg*",
			"vorherig*, bisherig*, vorig*, obig*, früher*, vorangehend*, deine*, alle anweisung*, alle, system*, ursprünglich*",
			"anweisung*, regeln, vorgaben, befehle*, instruktion*, richtlinien, systemprompt*, prompt*",
		},
		{ // French
			"ignore*, ignorez, oublie*, oubliez, néglige*, outrepasse*, ne suis pas, ne suivez pas, contourne*",
			"précédent*, antérieur*, ci-dessus, tes, vos, toutes les, tous les, système, initiale*, originale*",
			"instruction*, consigne*, règles, directive*, ordres, invite*, prompt",
		},
		{ // Spanish
			"ignora*, ignore, olvida*, olvide, descarta*, omite, desobedece*, haz caso omiso, no sigas",
			"anterior*, previ*, arriba, tus, sus, todas las, todos los, sistema, original*",
			"instruccion*, regla*, directriz, directrices, órdenes, indicacion*, prompt",
		},
		{ // Italian
			"ignora*, dimentica*, trascura*, non seguire, disattendi",
			"precedent*, sopra, tue, tuoi, tutte le, tutti i, sistema, original*",
			"istruzion*, regole, direttive, ordini, comandi, prompt",
		},
		{ // Portuguese
			"ignore, ignora*, esqueça*, esquece*, desconsidere*, descarte*, não siga*",
			"anterior*, prévi*, acima, suas, seus, todas as, todos os, sistema, originai*",
			"instruç*, instruc*, regras, diretrizes, ordens, comandos, prompt",
		},
		{ // Dutch
			"negeer*, vergeet*, sla over, volg niet",
			"vorige*, eerdere*, voorgaande*, bovenstaande*, jouw, je, alle, systeem*",
			"instructies, aanwijzingen, regels, opdrachten, richtlijnen, prompt*",
		},
		{ // Polish
			"zignoruj*, ignoruj*, zapomnij*, pomiń*",
			"poprzedni*, wcześniejsz*, powyższ*, twoje, swoje, wszystki*, system*",
			"instrukcj*, polece*, zasad*, wytyczn*, prompt*",
		},
		{ // Russian
			"игнорируй*, проигнорируй*, забудь*, не следуй*, отмени*",
			"предыдущ*, прежн*, вышеуказанн*, свои, твои, ваши, все, системн*",
			"инструкци*, указани*, правил*, команд*, промпт*",
		},
		{ // Ukrainian
			"ігноруй*, проігноруй*, забудь*",
			"попередн*, вищенаведен*, свої, твої, усі, всі",
			"інструкці*, вказівк*, правил*",
		},
		{ // Turkish
			"yok say*, görmezden gel*, unut*, dikkate alma*",
			"önceki*, yukarıdaki*, tüm*, bütün*, daha önceki*",
			"talimat*, kural*, yönerge*, komut*",
		},
		{ // Vietnamese
			"bỏ qua, quên, phớt lờ", "trước, ở trên, tất cả, mọi", "hướng dẫn, chỉ dẫn, quy tắc, lệnh, chỉ thị",
		},
		{ // Chinese
			"忽略*, 無視*, 无视*, 忘记*, 忘記*, 不要遵循*, 抛弃*", "之前*, 以上*, 先前*, 上面*, 所有*, 前面*, 此前*, 你的*, 系统*, 系統*", "指令*, 指示*, 提示*, 规则*, 規則*, 命令*, 说明*",
		},
		{ // Japanese
			"無視*, 忘れ*, 従わない*", "以前*, 上記*, これまで*, 前の*, すべて*, 全て*, 今まで*, システム*", "指示*, 命令*, ルール*, プロンプト*, 規則*",
		},
		{ // Korean
			"무시*, 잊어*, 따르지*", "이전*, 위의*, 지금까지*, 모든*, 앞의*, 시스템*", "지시*, 명령*, 규칙*, 프롬프트*, 지침*",
		},
		{ // Arabic
			"تجاهل*, انس*", "السابقة*, أعلاه*, جميع*, كل*", "التعليمات*, الأوامر*, القواعد*, تعليمات*",
		},
		{ // Hindi
			"अनदेखा*, नज़रअंदाज*, नजरअंदाज*, भूल*, अनदेखी*", "पिछले*, पिछली*, पहले*, ऊपर*, सभी*", "निर्देश*, नियम*, आदेश*",
		},
	} {
		list = append(list, phrase{FlagOverride, l[:]})
	}
	return list
}

// requests are attempts to get at data, or to act unseen.
func requests() []phrase {
	const (
		send   = "send, post, upload, forward, email, e-mail, exfiltrate, leak, transmit, submit, append, curl, fetch, sende, schicke, envoie, envoyez, envía, envíe, invia, отправь, 发送*, 送信*, 보내*"
		data   = `api key*, apikey*, password*, credential*, secrets, environment variable*, .env, ssh key*, id_rsa, private key*, access token*, conversation, chat history, cookies, system prompt, memories, contents of, passwörter, mots de passe, contraseñas, пароли, 密码*, 密钥*, パスワード*, 비밀번호*, zugangsdaten, identifiants, credenciales`
		target = "http://, https://, webhook*, attacker*, this address, this url, following url, following address, ftp://, @*"
		show   = "reveal, print, output, repeat, show me, display, recite, dump, tell me, verrate, wiederhole, révèle, affiche, revela, muestra, rivela, покажи, раскрой, 输出*, 显示*, 表示*, 출력*"
		prompt = "system prompt, your instructions, your prompt, your initial, hidden instructions, your rules, system message, systemprompt, deine anweisungen, tes instructions, tus instrucciones, le tue istruzioni, системный промпт, системную подсказку, 系统提示*, システムプロンプト*, 시스템 프롬프트*"
	)
	return []phrase{
		{FlagExfiltration, []string{send, data, target}},
		{FlagExfiltration, []string{show, prompt}},
		{FlagExfiltration, []string{"exfiltrate", data}},
		{FlagConcealment, []string{`do not tell the user, don't tell the user, never tell the user, without telling the user, without informing the user, do not inform the user, don't inform the user,
			do not mention this, don't mention this, never mention this, without the user's knowledge, without the user knowing, hide this from the user, keep this from the user, do not let the user know,
			do not alert the user, do not notify the user, do not reveal this, sag dem nutzer nichts, ohne den nutzer zu informieren, sage dem benutzer nicht*, ne dis rien à l'utilisateur, sans en informer l'utilisateur, no se lo digas al usuario,
			sin informar al usuario, non dirlo all'utente, não conte ao usuário, не говори пользователю*, не сообщай пользователю*, 不要告诉用户*, 不要告訴用戶*, ユーザーには言わない*, ユーザーに知らせ*, 사용자에게 알리지*`}},
	}
}
