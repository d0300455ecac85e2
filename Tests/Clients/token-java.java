import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/** token-java.java KEY KID TEAM: signed by SHA256withECDSA, as pushy does. */
class Token {
    static String part(byte[] bytes) { return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes); }

    public static void main(String[] words) throws Exception {
        var text = Files.readString(Path.of(words[0])).replaceAll("-----[A-Z ]+-----|\\s", "");
        var key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text)));
        var header = String.format("{\"alg\":\"ES256\",\"kid\":\"%s\"}", words[1]);
        var claims = String.format("{\"iss\":\"%s\",\"iat\":%d}", words[2], System.currentTimeMillis() / 1000);
        var signed = part(header.getBytes()) + "." + part(claims.getBytes());
        var signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key);
        signature.update(signed.getBytes());
        System.out.println(signed + "." + part(signature.sign()));
    }
}
