import Values

/// Common given and family names of one language, for making up people.
struct Names: Sendable {
    let given: [String]
    let family: [String]

    private init(_ given: String, _ family: String) {
        self.given = given.split(separator: " ").map(String.init)
        self.family = family.split(separator: " ").map(String.init)
    }

    /// Languages of a school in a port, in several scripts; any resemblance to a real person is a coincidence.
    static let all: [Names] =
        [english, german, spanish, turkish, polish, yoruba, vietnamese]
        + [greek, ukrainian, arabic, hindi, chinese, japanese, korean, georgian]

    static let english = Names(
        "Alice Amelia Archie Arthur Daisy Edith Finley Freya George Grace Harvey Imogen Jasper "
            + "Maisie Oliver Poppy Rupert Theo Violet Winifred",
        "Abbott Bexley Crawley Dunmore Ellery Farrow Garside Hartnell Ibbotson Jessop Kershaw "
            + "Langdale Merriman Northcott Oakes Pemberton Ravenhill Stockdale Thackray Wainwright")
    static let german = Names(
        "Anton Clara Emil Frieda Greta Hannes Ida Jonas Jörg Käthe Lena Moritz Nils Ole Paula "
            + "Rüdiger Sönke Thea Ulrike Zoë",
        "Ahrens Böttcher Claussen Dörfler Eggers Feddersen Grünwald Hansen Jürgens Kröger Lüders "
            + "Möller Nissen Petersen Quast Röhrig Schäfer Thießen Vogelsang Weiß")
    static let spanish = Names(
        "Álvaro Begoña Carmen Diego Elvira Fermín Gonzalo Inés Íñigo Jimena Lucía Martín Noelia "
            + "Óscar Pilar Ramón Sofía Tomás Úrsula Ximena",
        "Aguilar Belmonte Cárdenas Domínguez Escudero Fuentes Garrido Hidalgo Ibáñez Lozano "
            + "Muñoz Núñez Ordóñez Peñalver Quiroga Robledo Saavedra Toledano Urquiza Zúñiga")
    static let turkish = Names(
        "Ayşe Barış Çağla Deniz Ece Fırat Gül Hakan İpek Kerem Leyla Mert Nazlı Onur Pınar Selin "
            + "Tuğba Umut Yağmur Zeynep",
        "Aksoy Bulut Çelik Demir Erdem Fidan Güneş İnce Kaplan Özkan Polat Sağlam Şahin Taş "
            + "Uçar Ünal Vardar Yıldız Yücel Zorlu")
    static let polish = Names(
        "Agnieszka Bartosz Celina Dorota Elżbieta Filip Grażyna Hubert Jadwiga Kacper Łucja "
            + "Małgorzata Natan Oskar Paweł Róża Stanisław Tymon Wanda Zofia",
        "Błaszczak Chmiel Czarnecka Dąbek Gajda Janik Kępa Łęcki Mazur Nowicki Olszak Pająk "
            + "Rzepka Sikora Świątek Tkacz Wilk Wrona Zając Żuraw")
    static let yoruba = Names(
        "Adébáyọ̀ Adéọlá Ayọ̀délé Bọ́lá Dàmilọ́lá Fọlákẹ́ Ifẹ́ Kẹ́hìndé Kúnlé Mojísọ́lá Olúmìdé "
            + "Ṣadé Ṣẹ́gun Táíwò Tèmítọ́pẹ́ Tóbi Títílayọ̀ Wálé Yéwándé Yẹ́misí",
        "Adébísí Adéyẹmí Afọlábí Àjàyí Akíntóyè Adélékè Bámidélé Fálétí Fáṣọlá Ìbídàpọ̀ Odùyá "
            + "Ògúnlẹ́yẹ Ojo Oládípọ̀ Olúwọlé Ọláńrewájú Ọ̀ṣúntókun Ṣóbọ̀wálé Ṣónúgà Táíwò")
    static let vietnamese = Names(
        "An Bảo Châu Cường Dung Đức Giang Hạnh Hương Khánh Lan Linh Long Mai Minh Ngọc Phúc Quỳnh "
            + "Thảo Tuấn",
        "Bùi Cao Châu Đặng Đinh Đỗ Dương Hồ Hoàng Huỳnh Lâm Lý Mạc Ngô Nguyễn Phạm Phan Trần Trịnh "
            + "Vũ")
    static let greek = Names(
        "Αθηνά Άρης Βασίλης Γιώργος Δάφνη Ελένη Ζωή Ηλίας Θάλεια Ιάσονας Κατερίνα Λευτέρης Μυρτώ "
            + "Νίκος Ξένια Ορέστης Παύλος Ρένα Σοφία Φοίβος",
        "Αλεξίου Βλάχος Γεωργίου Δημητρίου Ευσταθίου Ζαχαρίου Θεοδώρου Ιωάννου Καραγιάννης Λάμπρου "
            + "Μακρής Νικολάου Οικονόμου Παππάς Ρήγας Σταύρου Τσάκαλος Φωτίου Χατζής Ψαράς")
    static let ukrainian = Names(
        "Андрій Богдана Василь Ганна Дмитро Євген Жанна Зоряна Ірина Кирило Лариса Марко Назар "
            + "Оксана Петро Роман Соломія Тарас Уляна Юлія",
        "Антоненко Бондар Власенко Гончар Дяченко Єременко Журба Заєць Ільченко Кравець Лисенко "
            + "Мороз Науменко Остапчук Павленко Романюк Сидоренко Ткач Шевчук Яценко")
    static let arabic = Names(
        "أحمد إيمان بشرى تامر جميلة حسن خالد دانا رنا زياد سلمى شادي طارق عائشة فادي كريم ليلى مريم "
            + "نور ياسمين",
        "البغدادي التميمي الجبوري الحداد الخطيب الدمشقي الراوي الزهراني السالم الشامي الصباغ الطويل "
            + "العطار الفارس القاسم الكردي المنصور النجار الهاشمي اليازجي")
    static let hindi = Names(
        "अदिति अनिल आरव ईशा कविता गौरव चंदन दीपा नेहा पूजा प्रिया मोहन रवि राधा रोहन विजय शांति सीमा "
            + "सुनील हर्ष",
        "अग्रवाल कपूर कुलकर्णी खन्ना गुप्ता चौहान जोशी ठाकुर तिवारी दुबे पटेल पांडे बंसल भट्ट मिश्रा मेहता यादव "
            + "वर्मा शर्मा सक्सेना")
    static let chinese = Names(
        "安琪 博文 晨曦 丹阳 芳华 国栋 海燕 佳怡 健华 丽娜 明轩 诗涵 思远 天佑 文静 晓东 欣然 雅婷 子豪 梓萱",
        "陈 邓 冯 高 郭 何 黄 蒋 李 林 刘 罗 马 孙 唐 王 吴 许 张 周")
    static let japanese = Names(
        "葵 明子 一郎 海斗 花子 健太 恵 蓮 真由美 美咲 桃子 直樹 陽菜 大輔 咲良 翔太 拓海 結衣 優斗 凛",
        "青木 石川 上田 遠藤 岡田 加藤 木村 小林 斎藤 清水 高橋 田中 千葉 中村 西村 長谷川 藤田 松本 森 山口")
    static let korean = Names(
        "가은 건우 나연 다은 도윤 민준 민지 서연 서준 수아 시우 예은 유진 은지 주원 준호 지민 지우 하늘 현우",
        "강 권 김 남 노 류 문 박 배 백 서 송 신 안 양 오 윤 이 임 정")
    static let georgian = Names(
        "ანა ბექა გიორგი დავით ეკა ვახტანგ ზურაბ თამარ ია კახა ლალი მარიამ ნინო ოთარ რუსუდან სალომე "
            + "ტარიელ ქეთევან შოთა ხათუნა",
        "აბაშიძე ბერიძე გელაშვილი დოლიძე ვაშაძე თოდუა კაპანაძე ლომიძე მაისურაძე ნოზაძე ონიანი "
            + "რამიშვილი სულაძე ტაბიძე ფიფია ქავთარაძე შენგელია ჩხეიძე ცაგარელი ხუციშვილი")
}

/// Makes up people; no name is used twice.
struct PeopleMaker {
    private var taken: Set<String> = []

    mutating func name(_ random: inout SplitMix64) -> (given: String, family: String) {
        while true {
            let names = random.choice(of: Names.all)
            let name = (
                given: random.choice(of: names.given), family: random.choice(of: names.family)
            )
            if taken.insert("\(name.given) \(name.family)").inserted { return name }
        }
    }
}
