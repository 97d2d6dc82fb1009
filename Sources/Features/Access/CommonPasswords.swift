/// Passwords that attackers try first.
///
/// The lists were compiled for Homeroom from what published counts of leaked passwords have in common, in English,
/// German, Japanese and Chinese; they are Homeroom's own, under its licence. They leave out what the password rules
/// refuse anyway, such as passwords without a digit.
enum CommonPasswords {
    /// Whether the password is on the list, or is a listed word surrounded by a few digits or signs, even with digits
    /// or signs in place of letters: `Passw0rd!`, `summer2026`.
    static func contain(_ password: String) -> Bool {
        let text = password.lowercased()
        if listed.contains(text) { return true }
        guard let first = text.firstIndex(where: \.isLetter),
            let last = text.lastIndex(where: \.isLetter)
        else { return false }
        let around = text[..<first] + text[text.index(after: last)...]
        guard around.count <= 4 || "1234567890".hasPrefix(around) else { return false }
        return words.contains(String(text[first...last].map { letters[$0] ?? $0 }))
    }

    /// Characters that are written in place of letters.
    private static let letters: [Character: Character] = [
        "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s",
        "!": "i", "€": "e",
    ]

    private static let listed = set(
        """
        1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1qaz1qaz 1234qwer 123qweasd
        123qweasdzxc 123qwe123 123qwe456 123abc456 123abc123 1a2b3c4d 1a2s3d4f 1qay2wsx 1q2w3e4r! 12qwaszx
        12345abc 12345qwe 12345qwert 123456abc 123456qwe 12341234a 147258369a 159753qwe 123654789a
        a1b2c3d4 a1b2c3d4e5 a1s2d3f4 a1234567 a12345678 a123456789 a1a2a3a4 aa123456 aa12345678 aaa11111
        aaaa1111 aaaaaaa1 abc12345 abc123456 abc1234567 abc123abc abc123def abcd1234 abcd12345 abcd123456
        abcde123 abcde12345 abcdef12 abcdefg1 abcdefg123 asd12345 asd123456 asd123asd asdf1234 asdf12345
        asdfg123 asdfgh12 asdfghj1 asdfghjkl1 asdzxc123 az123456 azerty12 azerty123 azertyuiop1 1azerty1
        e10adc3949 g00dluck go0dluck hunter22 iloveyou1 i1love2you j0hn3:16 lol12345 n0password n0entry1
        pass1234 pass12345 pass123word p4ss1234 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 q1w2e3r4z5 qaz12345
        qaz123wsx qaz12wsx qazwsx12 qazwsx123 qazwsxedc1 qwaszx12 qwe12345 qwe123456 qwe123asd qwe123qwe
        qweasd12 qweasd123 qweasdzxc1 qwer1234 qwer12345 qwert123 qwert12345 qwerty12 qwerty123 qwerty1234
        qwerty12345 qwerty123456 qwertyu1 qwertyui1 qwertyuiop1 qwertz12 qwertz123 qwertz1234 qwertzu1
        qwertzuiop1 r2d2c3po s3cr3t11 t3st1234 test1234 test12345 test123456 w0rdpass wert1234 x1x2x3x4
        y1x2c3v4 yxcvbnm1 z1x2c3v4 zaq12wsx zaq1xsw2 zaq1zaq1 zaq12345 zxc12345 zxcv1234 zxcvb123 zxcvbn12
        zxcvbnm1 zxcvbnm123 woaini1314 woaini520 woaini521 w5201314 a5201314 qq123456 qq5201314 wang1234
        zhang123 li123456 asd5201314 aini1314 5201314a 1314520a q123456789 w123456789 z123456789 x12345678
        k1234567 s1234567 m1234567 l1234567 admin123 admin1234 root1234 user1234 guest123 login123
        0000 1004 1010 1122 1133 1212 1221 1233 1313 1324 1342 1357 1379 1389 1414 1423 1432 1515 1590 1616
        1717 1818 1900 1919 1928 1937 1998 1999 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011
        2012 2013 2014 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 2026 2027 2028 2029 2030 2112
        2121 2211 2323 2424 2468 2525 2552 2580 2626 2727 2828 2929 3003 3030 3131 3232 3333 3344 3434 3535
        3636 3698 4040 4141 4200 4242 4321 4343 4455 4545 4711 5050 5150 5151 5252 5454 5566 5656 5678 5683
        6060 6161 6262 6363 6565 6677 6767 6789 6868 6969 7007 7070 7171 7272 7373 7474 7575 7676 7788 7878
        7890 7979 8008 8080 8181 8282 8383 8484 8520 8585 8686 8787 8888 8899 8989 9090 9191 9292 9393 9494
        9595 9696 9797 9876 9898 9900
        000111 001122 010101 010203 012345 020202 030303 040404 050505 060606 070707 080808 090909 100000
        100100 100200 101010 101112 110110 111000 111111 111222 112112 112211 112233 112358 113355 119119
        121121 121212 121314 123000 123098 123123 123124 123321 123455 123456 123457 123654 123789 124578
        131313 131415 135246 135790 141414 142536 142857 147147 147258 147369 147852 147896 151515 159159
        159357 159487 159753 159951 161616 171717 181818 191919 198765 200000 202020 212121 212223 220022
        221122 222111 222333 225588 232323 234561 242424 246810 246824 252525 258258 258369 258456 262626
        272727 282828 292929 303030 313131 314159 321123 321321 321654 323232 325325 333222 333444 336699
        343434 353535 357159 357357 363636 369258 369369 373737 393939 400400 404040 420420 424242 434343
        444555 445566 454545 456123 456321 456456 456654 456789 464646 474747 484848 494949 500500 505050
        515151 520131 520520 521521 525252 535353 545454 555666 556677 565656 575757 585858 595959 600600
        606060 616161 626262 636363 646464 654123 654321 656565 656667 666777 667788 676767 686868 696969
        707070 717171 727272 737373 741852 741963 747474 753159 753951 757575 765432 767676 777888 778899
        787878 789123 789456 789654 789789 797979 808080 818181 828282 838383 848484 852456 852852 852963
        858585 868686 876543 878787 888999 890890 898989 900900 909090 919191 929292 939393 949494 951753
        959595 963258 963852 969696 979797 987123 987456 987654 987987 989898 990099 998877 999000 999888
        """)

    private static let words = set(
        """
        abc abcd abcde abcdef abcdefg abcdefgh access account admin administrator adminadmin america andrea
        andreas andrew angel angela animal anna anthony apfel apple april arsenal asdf asdfasdf asdfgh
        asdfghjkl ashley august auto azerty baby babygirl badboy bailey banana banane barcelona baseball
        basketball batman bayern beatles beautiful benjamin berlin bernd bienchen biene blablabla blue
        blumen borussia boss brandon britney brooklyn brother bubbles buster butterfly camaro canada
        cameron carlos caroline cat changeme charlie charlotte cheese chelsea cherry chester chicken china
        chocolate chris christian christmas christoph claudia computer cookie cool corvette cowboy cowboys
        daddy dallas daniel daniela david december deckel default delfin dennis deutschland dezember diablo
        diamond dirk dog dolphin donald donnerstag dortmund dragon dragonball dubai eagles einhorn eintracht
        elefant elephant elizabeth eminem emma engel england erdbeere falcon familie family fcbayern februar
        february felix ferrari fisch fish florian flower flowers football formel forever fortnite frank
        frankfurt frankreich freedom freitag freiheit freund freunde friday friend friends fussball galaxy
        gandalf garfield geheim george germany ginger girl gold golf google gott grandma guitar hallo
        hallohallo halloween hamburg hammer handball hannah hannover happy harley harrypotter haus heather
        heimat hello hellokitty hello.kitty helloworld helsinki herbst herz hockey home hund hunter iceman
        iloveu iloveyou ilovegod internet ironman jackson jakob james january januar japan jasmin jasmine
        jason jennifer jessica jesus johannes john jonas jonathan jordan joseph joshua julia juli july juni
        june junior justin justice kaffee kaiser kaninchen karate katze kennwort kevin killer king kitty
        klaus klasse koeln kuchen laura lauren leben legend lehrer leonie letmein letmein! liebe lisa
        liverpool login lol london lord lorenzo love lovelove loveme lover lovely loveyou lucky lukas
        madison maerz maggie mama mami manchester manuel march maria marie marina mario markus marlboro
        martin martina master matrix matthew matthias maximilian maus melanie mercedes merlin metallica
        michael michaela michelle mickey miguel minecraft mittwoch mobile mohammed monday money monkey
        monika monster montag morgan mother motorola muenchen muffin muster mustang mustermann mutti myspace
        nadine naruto natascha nathan natsu neuespasswort newpassword newyork nicole nikita ninja nintendo
        nirvana november oktober october ohyeah oliver orange pa paradise panda papa paris pass passport
        password passwordpassword passwort passwd patrick paul peace peanut penguin pepper peter pferd
        philipp phoenix pikachu pizza playboy player playstation please pokemon polizei porsche prince
        princess prinzessin purple qazwsx qwaszx qwe qweasd qweasdzxc qwer qwert qwerty qwertyui qwertyuiop
        qwertz qwertzui qwertzuiop rabbit rachel rainbow ranger rebecca red regenbogen richard robert roblox
        robin romeo root ronaldo rooney sabine sakura salasana samantha samsung samstag sandra sarah sascha
        saturday schalke schatz schatzi scheisse schmetterling schnecke school schueler schule schulhof
        schwarz scooter sebastian secret secure security september servus service shadow silver simone
        simpsons skywalker slipknot smile smokey snoopy snowball soccer sommer sonne sonnenblume sonnenschein
        sonntag sophie spanien spiderman spring starwars stefan stefanie steven stitch strawberry student
        stuttgart summer sunday sunflower sunny sunshine superman superstar susanne sven swordfish system
        tanja taylor teacher teddy teddybear temp test testing testtest teufel thomas thunder thursday tiger
        tigger tinkerbell tobias trustno trustnoone tuesday turtle twilight unicorn user vanessa victoria
        viktoria vogel volleyball wasser wednesday welcome weihnachten whatever werder william willkommen
        winner winter wolfgang wolf woaini wochenende xbox yamaha yankees yellow yvonne zidane zxcvbn zxcvbnm
        aishiteru arigato daisuki doraemon gakkou haruka hanako himitsu ichigo kawaii konnichiwa nihon ohayou
        onegai pasuwado sensei taro tokyo tomodachi yamato mima beijing shanghai zhongguo nihao xuesheng
        laoshi xuexiao mimamima wodemima wangyi woaiwojia
        """)

    private static func set(_ list: String) -> Set<String> {
        Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
