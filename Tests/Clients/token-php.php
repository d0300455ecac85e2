<?php
// token-php.php KEY KID TEAM: signed by openssl_sign.
[, $path, $kid, $team] = $argv;
$part = fn($text) => rtrim(strtr(base64_encode($text), '+/', '-_'), '=');
$signed = $part(json_encode(['alg' => 'ES256', 'kid' => $kid])) . '.'
    . $part(json_encode(['iss' => $team, 'iat' => time()]));
openssl_sign($signed, $signature, openssl_pkey_get_private("file://$path"), OPENSSL_ALGO_SHA256);
echo $signed, '.', $part($signature), "\n";
