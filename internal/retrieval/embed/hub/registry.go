package hub

// Specs returns the models that are known by name, the built-in one first and then by
// size. The caller owns the result.
//
// Commits, checksums and sizes are those of the owners' repositories on huggingface.co;
// dimensions, pooling, prefixes and lengths are those of the model cards and of the
// sentence-transformers settings beside the weights.
func Specs() []Spec {
	return append([]Spec{
		{ID: Builtin, Aliases: []string{"static"}, Encoding: Encoding{Pooling: Mean}, Licence: "Apache-2.0", Note: "In the program: no download, microseconds a text; English."},
		{
			ID: "minilm-l6-v2", Aliases: []string{"minilm", "all-minilm-l6-v2"},
			Repo: "sentence-transformers/all-MiniLM-L6-v2", Revision: "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
			Files: []File{
				{ConfigFile, 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
				{TokenizerFile, 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
				{WeightsFile, 90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"},
			},
			Dimension: 384, Size: 91_335_235, Licence: "Apache-2.0", Encoding: Encoding{Pooling: Mean, MaxTokens: 256},
			Note: "English; small and quick.",
		},
		{
			ID: "bge-small-en-v1.5", Aliases: []string{"bge-small", "bge_small"},
			Repo: "BAAI/bge-small-en-v1.5", Revision: "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
			Files: []File{
				{ConfigFile, 743, "094f8e891b932f2000c92cfc663bac4c62069f5d8af5b5278c4306aef3084750"},
				{TokenizerFile, 711_396, "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"},
				{WeightsFile, 133_466_304, "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad"},
			},
			Dimension: 384, Size: 134_178_443, Licence: "MIT", Encoding: Encoding{Pooling: CLS, MaxTokens: 512, QueryPrefix: "Represent this sentence for searching relevant passages: "},
			Note: "English; finds better than minilm-l6-v2 at half its speed.",
		},
		{
			ID: "e5-small", Aliases: []string{"e5_small", "multilingual-e5-small"},
			Repo: "intfloat/multilingual-e5-small", Revision: "614241f622f53c4eeff9890bdc4f31cfecc418b3",
			Files: []File{
				{ConfigFile, 655, "69137736cab8b8903a07fe8afaafdda25aac55415a12a55d1bffa9f581abf959"},
				{TokenizerFile, 17_082_730, "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"},
				{WeightsFile, 470_641_600, "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477"},
			},
			Dimension: 384, Size: 487_724_985, Licence: "MIT", Encoding: Encoding{Pooling: Mean, MaxTokens: 512, QueryPrefix: "query: ", PassagePrefix: "passage: "},
			Note: "About 100 languages.",
		},
	}, largeSpecs()...)
}

func largeSpecs() []Spec {
	return []Spec{
		{
			ID: "nomic", Aliases: []string{"nomic-embed-text-v1.5"},
			Repo: "nomic-ai/nomic-embed-text-v1.5", Revision: "e9b6763023c676ca8431644204f50c2b100d9aab",
			Files:     []File{{Name: ConfigFile}, {Name: TokenizerFile}, {Name: WeightsFile}},
			Dimension: 768, Size: 547_000_000, Licence: "Apache-2.0", Encoding: Encoding{Pooling: Mean, MaxTokens: 2048, QueryPrefix: "search_query: ", PassagePrefix: "search_document: "},
			Note: "English; long texts, of which it would take 8192 tokens.",
		},
		{
			ID: "e5-base", Aliases: []string{"e5_base", "e5_multi", "multilingual-e5-base"},
			Repo: "intfloat/multilingual-e5-base", Revision: "d13f1b27baf31030b7fd040960d60d909913633f",
			Files: []File{
				{ConfigFile, 694, "9dab198f24c8c0879e481cf7822005d5ecbceedbacb390ffafa594e28d31bac4"},
				{TokenizerFile, 17_082_660, "62c24cdc13d4c9952d63718d6c9fa4c287974249e16b7ade6d5a85e7bbb75626"},
				{WeightsFile, 1_112_201_288, "a18a44fad1d0b46ded15928144138cff1135d5cc8233bdd90be5f18822de09a7"},
			},
			Dimension: 768, Size: 1_129_284_642, Licence: "MIT", Encoding: Encoding{Pooling: Mean, MaxTokens: 512, QueryPrefix: "query: ", PassagePrefix: "passage: "},
			Note: "About 100 languages; better and slower than e5-small.",
		},
		{
			ID: "bge-m3", Aliases: []string{"bge_m3"},
			Repo: "BAAI/bge-m3", Revision: "5617a9f61b028005a4858fdac845db406aefb181",
			Files:     []File{{Name: ConfigFile}, {Name: TokenizerFile}, {Name: WeightsFile}},
			Dimension: 1024, Size: 2_290_000_000, Licence: "MIT", Encoding: Encoding{Pooling: CLS, MaxTokens: 2048},
			Note:   "About 100 languages; long texts, of which it would take 8192 tokens; wants a large machine.",
			Manual: "its repository has the weights as pytorch_model.bin only; convert them to model.safetensors and pull from that folder",
		},
	}
}
